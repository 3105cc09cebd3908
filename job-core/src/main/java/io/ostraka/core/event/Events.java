package io.ostraka.core.event;

import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of an instance to its subscribers. Meters receive events on the publishing thread; every other
 * subscriber has its own queue. Thread-safe.
 */
public final class Events {
    private final List<EventSubscriber> meters;
    private final List<EventQueue> queues;
    private final Map<Class<? extends Event>, List<EventSubscriber>> receivers = new ConcurrentHashMap<>();

    /**
     * Creates the queues of the subscribers.
     *
     * @param meters subscribers that belong to the engine; they return quickly and throw no exceptions
     * @param subscribers subscribers of the application
     * @param workers executes the calls of the application's subscribers
     */
    public Events(List<EventSubscriber> meters, List<EventSubscriber> subscribers, Executor workers) {
        this.meters = List.copyOf(meters);
        Map<String, Integer> classes = new HashMap<>();
        this.queues = subscribers.stream()
                .map(each -> {
                    String type = each.getClass().getName();
                    int number = classes.merge(type, 1, Integer::sum);
                    return new EventQueue(number == 1 ? type : type + "#" + number, each, workers);
                })
                .toList();
    }

    /**
     * Notifies the application's subscribers that the instance starts.
     *
     * @param namespace namespace of the application
     * @param load returns the current load of the instance
     * @param problems receives the problems of subscribers, on any thread: the name of the subscriber's class, with a
     *     number for the second and further subscribers of a class, and a description of the problem, or null when the
     *     problem has ended
     * @param lost called on any thread when a subscriber has lost data of the history
     */
    public void start(
            String namespace, Supplier<Load> load, BiConsumer<String, @Nullable String> problems, Runnable lost) {
        queues.forEach(queue -> queue.started(namespace, load, problems, lost));
    }

    /**
     * Returns whether any subscriber receives events of a kind. Publishers need not create events that no subscriber
     * receives.
     */
    public boolean received(Class<? extends Event> kind) {
        return !receivers(kind).isEmpty();
    }

    /**
     * Passes an event to the subscribers that receive its kind. Does not wait until the application's subscribers have
     * handled the event.
     */
    public void publish(Event event) {
        for (EventSubscriber receiver : receivers(event.getClass())) {
            receiver.on(event);
        }
    }

    /**
     * Passes the state of the jobs to the application's subscribers. Does not wait for them.
     *
     * @param state supplies the state; called only if there are subscribers
     */
    public void status(Supplier<Status> state) {
        if (!queues.isEmpty()) {
            Status status = state.get();
            queues.forEach(queue -> queue.status(status));
        }
    }

    private List<EventSubscriber> receivers(Class<? extends Event> kind) {
        return receivers.computeIfAbsent(kind, asked -> Stream.concat(meters.stream(), queues.stream())
                .filter(each -> each.receives(asked))
                .toList());
    }

    /** Returns the number of queued events and the number of dropped events. */
    public Load.Events load() {
        return new Load.Events(
                queues.stream().mapToInt(EventQueue::waiting).sum(),
                queues.stream().mapToLong(EventQueue::dropped).sum());
    }

    /**
     * Returns a stage that completes when the application's subscribers have handled all events that were published
     * before this call.
     */
    public CompletionStage<Void> delivered() {
        return CompletableFuture.allOf(
                queues.stream().map(EventQueue::delivered).toArray(CompletableFuture[]::new));
    }
}
