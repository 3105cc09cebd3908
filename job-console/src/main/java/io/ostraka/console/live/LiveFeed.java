package io.ostraka.console.live;

import com.google.gson.JsonObject;
import io.ostraka.api.OstrakaException;
import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.live.EventLog.Entry;
import io.ostraka.console.live.KnownViews.Known;
import io.ostraka.console.live.LiveEvent.Plain;
import io.ostraka.console.live.SharedViews.View;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live events of one namespace. While there are clients, one poller reads the views, compares each answer with the
 * one before, and publishes the differences to all clients. Without clients, the feed reads nothing and sets no timer.
 *
 * <p>No change is lost between {@code hello} and the lists that a client reads after it. The feed observes every read
 * of a view that it follows, also the reads of routes, and takes over each answer before any caller gets it. So each
 * list that a client reads was the feed's answer at some time, and {@link SharedViews} keeps it only as long as it
 * still is. Events after {@code hello} lead from the answers at the time of {@code hello} to those of the list, and from
 * there to the present ones. An event carries whole values, so it does no harm to a list that already contains them.
 * The feed sends {@code hello} only after it has read every view that the client follows. Before it publishes, it drops
 * the shared answers of all other views, so these are never older than an event. The same holds for {@code reset}.
 * Thread-safe.
 */
final class LiveFeed implements SharedViews.Observer {
    private static final Logger log = LoggerFactory.getLogger(LiveFeed.class);

    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final String namespace;
    private final SharedViews views;
    private final Executor reads;
    private final ScheduledExecutorService timer;
    private final Clock clock;
    private final String epoch;

    // guarded by this
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final EventLog events = new EventLog();
    private final KnownViews known;
    private boolean reading;
    private @Nullable LiveEvent unavailable;
    private @Nullable Future<?> next;
    private @Nullable Future<?> beat;
    private boolean closed;

    /**
     * Creates a feed without clients.
     *
     * @param reads runs the reads, which block; one task of this feed at a time
     * @param timer starts reads and heartbeats; its tasks do not block
     * @param epoch identity of the feed, which no earlier feed of the namespace has had
     */
    LiveFeed(
            String namespace,
            SharedViews views,
            Executor reads,
            ScheduledExecutorService timer,
            Clock clock,
            String epoch) {
        this.namespace = namespace;
        this.views = views;
        this.reads = reads;
        this.timer = timer;
        this.clock = clock;
        this.epoch = epoch;
        this.known = new KnownViews(clock);
        views.observe(this);
    }

    /**
     * Adds a client.
     *
     * @param leave called once, after the client has left
     */
    Subscription subscribe(EventRequest request, Caller caller, BooleanSupplier valid, Runnable leave) {
        Subscriber[] self = new Subscriber[1];
        Subscriber subscriber = new Subscriber(request, caller, valid, epoch, () -> {
            remove(self[0]);
            leave.run();
        });
        self[0] = subscriber;
        synchronized (this) {
            if (!closed) {
                add(subscriber, EventId.read(request.lastEventId()));
            }
        }
        if (isClosed()) {
            subscriber.close();
        }
        read();
        return subscriber;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void add(Subscriber subscriber, Optional<EventId> last) {
        forgetUnneeded();
        subscribers.add(subscriber);
        List<Known> needed = known.needed(subscriber);
        boolean resumes = last.isPresent()
                && last.get().epoch().equals(epoch)
                && events.holds(last.get().number())
                && needed.stream()
                        .allMatch(each ->
                                each.values != null && each.since <= last.get().number());
        if (resumes) {
            subscriber.resume(events.since(last.get().number()));
        } else {
            greet();
        }
        if (!subscriber.isGreeted() && unavailable != null) {
            subscriber.warn(unavailable);
        }
        if (beat == null) {
            beat = schedule(() -> timer.scheduleWithFixedDelay(
                    this::beat, HEARTBEAT.toNanos(), HEARTBEAT.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    private static @Nullable Future<?> schedule(Supplier<Future<?>> task) {
        try {
            return task.get();
        } catch (RejectedExecutionException e) { // the console shuts down
            return null;
        }
    }

    /** Greets the clients whose views have all been read. */
    private void greet() {
        for (Subscriber each : subscribers) {
            if (!each.isGreeted() && known.needed(each).stream().allMatch(view -> view.values != null)) {
                each.greet(events.number());
                if (unavailable != null) {
                    each.warn(unavailable);
                }
            }
        }
    }

    private void remove(Subscriber subscriber) {
        synchronized (this) {
            known.needed(subscriber); // its views are remembered from now on
            subscribers.remove(subscriber);
            if (subscribers.isEmpty()) {
                next = cancel(next);
                beat = cancel(beat);
            }
        }
    }

    private static @Nullable Future<?> cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
        return null;
    }

    /** Starts a read of the views that are due, unless one is under way. */
    private void read() {
        synchronized (this) {
            if (reading || closed || subscribers.isEmpty()) {
                return;
            }
            reading = true;
            next = cancel(next);
        }
        try {
            reads.execute(this::cycle);
        } catch (RejectedExecutionException e) { // the console shuts down
            synchronized (this) {
                reading = false;
            }
        }
    }

    private void cycle() {
        boolean complete = false;
        try {
            complete = due().stream().allMatch(this::readOne);
        } finally {
            after(complete);
        }
    }

    private synchronized List<Known> due() {
        forgetUnneeded();
        return known.due(subscribers);
    }

    /** Forgets answers that no client needs. If nothing is left, no client can continue from an earlier event. */
    private void forgetUnneeded() {
        known.forgetUnneeded(subscribers);
        if (known.isEmpty()) {
            events.clear();
            unavailable = null;
        }
    }

    /** Reads a view. Returns false if ZooKeeper does not answer. */
    private boolean readOne(Known view) {
        Map<String, Object> values;
        try {
            values = view.source.byKey().apply(view.source.reader().apply(views));
        } catch (RuntimeException e) {
            values = view.source.valuesOf(e);
            if (values == null) {
                fail(view.source, e);
                return false;
            }
        }
        List<Subscriber> told = List.of();
        synchronized (this) {
            known.read(view, values);
            if (view.values == null) { // the answer was shared from a read that began before the feed followed the view
                take(view, values);
                told = List.copyOf(subscribers);
            }
        }
        told.forEach(Subscriber::signal);
        return true;
    }

    @Override
    public void answered(View view, Object answer) {
        observed(view, source -> source.byKey().apply(answer));
    }

    @Override
    public void failed(View view, RuntimeException failure) {
        observed(view, source -> source.valuesOf(failure));
    }

    private void observed(View view, Function<Source, @Nullable Map<String, Object>> result) {
        List<Subscriber> told;
        synchronized (this) {
            Known followed = known.get(view);
            if (followed == null || (subscribers.isEmpty() && known.isOld(followed))) {
                return;
            }
            Map<String, Object> values = result.apply(followed.source);
            if (values != null) {
                take(followed, values);
            }
            told = List.copyOf(subscribers);
        }
        told.forEach(Subscriber::signal);
    }

    /** Takes over an answer and publishes the differences from the one before. */
    private void take(Known view, Map<String, Object> values) {
        List<LiveEvent> changes =
                view.values == null ? List.of() : view.source.differences().between(view.values, values);
        boolean first = view.values == null;
        view.values = values;
        if (first) {
            forgetOthers();
            view.since = events.skip(); // a client that knew an earlier answer cannot continue
            greet();
        }
        publish(changes);
    }

    private void forgetOthers() {
        views.forget(view -> known.get(view) == null);
    }

    private void publish(List<LiveEvent> changes) {
        if (changes.isEmpty()) {
            return;
        }
        forgetOthers();
        List<Entry> entries = changes.stream().map(events::add).toList();
        for (Subscriber each : subscribers) {
            if (each.isValid()) { // otherwise its next poll ends the stream
                each.offer(entries);
            }
        }
    }

    private void fail(Source source, RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        if (!(e instanceof OstrakaException)) {
            why = "the console could not read the namespace; its log has the cause";
            log.error(
                    "namespace '{}': the read of {} failed; live events stop until it succeeds",
                    namespace,
                    source.view(),
                    e);
        }
        List<Subscriber> told;
        synchronized (this) {
            if (unavailable != null) {
                return;
            }
            JsonObject json = new JsonObject();
            json.addProperty("text", why);
            unavailable = availability("unavailable", json);
            publish(List.of(unavailable));
            for (Subscriber each : subscribers) {
                if (!each.isGreeted()) {
                    each.warn(unavailable);
                }
            }
            told = List.copyOf(subscribers);
        }
        told.forEach(Subscriber::signal);
    }

    private static LiveEvent availability(String type, JsonObject json) {
        return Plain.toEveryone(type, "availability", json);
    }

    private void after(boolean complete) {
        List<Subscriber> told = List.of();
        synchronized (this) {
            reading = false;
            if (complete && unavailable != null) {
                unavailable = null;
                publish(List.of(availability("available", new JsonObject())));
                told = List.copyOf(subscribers);
            }
            if (!subscribers.isEmpty() && !closed) {
                Duration wait = complete ? known.untilDue(subscribers) : RETRY;
                next = cancel(next);
                next = schedule(() -> timer.schedule(this::read, wait.toNanos(), TimeUnit.NANOSECONDS));
            }
        }
        told.forEach(Subscriber::signal);
    }

    private void beat() {
        List<Subscriber> all;
        synchronized (this) {
            all = List.copyOf(subscribers);
        }
        all.forEach(Subscriber::beat);
    }

    /** Ends all streams. */
    void close() {
        List<Subscriber> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(subscribers);
        }
        all.forEach(Subscriber::close);
    }
}
