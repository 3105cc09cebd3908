package io.ostraka.console.live;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.live.KnownViews.Known;
import io.ostraka.console.live.SharedViews.View;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The live events of one namespace. While there are clients, one poller reads the views, compares each answer with the
 * previous one, and publishes the differences to all clients. Without clients, the feed reads nothing and sets no
 * timer.
 *
 * <p>No change is lost between {@code hello} and the lists that a client reads after it. The feed observes every read
 * of a view that it follows, including the reads of the HTTP routes, and compares each answer with the previous one
 * before any caller gets the answer. So each list that a client reads was once the latest answer of the feed. {@link
 * SharedViews} keeps a list only until the feed has a newer answer. So the first events after {@code hello} may repeat
 * changes that the list already contains, and the later ones bring the client to the present state. An event carries
 * whole values, so it does no harm to a list that already contains them.
 *
 * <p>The feed sends {@code hello} only after it has read every view that the client follows. Before it publishes an
 * event, it drops the shared answers of all other views, so these answers are never older than the event. The same is
 * true of {@code reset}. Thread-safe.
 */
final class LiveFeed implements SharedViews.Observer {
    private final SharedViews views;
    private final Poller poller;
    private final String epoch;

    // guarded by this; no code that holds this lock waits for ZooKeeper or for another thread, because such a thread
    // may
    // need the lock: every read of a view does
    private final Clients clients;
    private final KnownViews known;
    private final Outage outage;
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
        this.views = views;
        this.clients = new Clients(timer);
        this.poller = new Poller(reads, timer, this::cycle);
        this.epoch = epoch;
        this.known = new KnownViews(clock);
        this.outage = new Outage(namespace);
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
        subscriber.ask();
        if (add(subscriber, EventId.read(request.lastEventId()))) {
            poller.poll();
        } else {
            subscriber.close();
        }
        return subscriber;
    }

    /** Adds a client. Returns false if the feed is closed. */
    private synchronized boolean add(Subscriber subscriber, Optional<EventId> last) {
        if (closed) {
            return false;
        }
        forgetUnneeded();
        clients.add(subscriber);
        List<Known> needed = known.needed(subscriber);
        boolean resumes = last.isPresent()
                && last.get().epoch().equals(epoch)
                && clients.events().holds(last.get().number())
                && needed.stream()
                        .allMatch(each ->
                                each.values != null && each.since <= last.get().number());
        if (resumes) {
            subscriber.resume(clients.events().since(last.get().number()));
        } else {
            greet();
        }
        if (!subscriber.isGreeted()) {
            warn(subscriber);
        }
        return true;
    }

    private void warn(Subscriber subscriber) {
        LiveEvent unavailable = outage.event();
        if (unavailable != null) {
            subscriber.warn(unavailable);
        }
    }

    /** Sends {@code hello} or {@code reset} to each waiting client whose views have all been read. */
    private void greet() {
        for (Subscriber each : clients.all()) {
            if (!each.isGreeted() && known.needed(each).stream().allMatch(view -> view.values != null)) {
                each.greet(clients.events().number());
                warn(each);
            }
        }
    }

    private synchronized void remove(Subscriber subscriber) {
        known.needed(subscriber); // marks the client's views as needed until now
        clients.remove(subscriber);
        if (clients.all().isEmpty()) {
            poller.cancel();
        }
    }

    /** Reads the views that are due. Returns the time until the next read; empty if there are no clients. */
    private Optional<Duration> cycle() {
        clients.all().forEach(Subscriber::ask);
        boolean complete = due().stream().allMatch(this::readOne);
        LiveEvent available;
        Optional<Duration> wait;
        synchronized (this) {
            available = complete ? outage.end() : null;
            if (available != null) {
                publish(List.of(available));
            }
            wait = clients.all().isEmpty() || closed
                    ? Optional.empty()
                    : Optional.of(complete ? known.untilDue(clients.all()) : Poller.RETRY);
        }
        if (available != null) {
            clients.signal();
        }
        return wait;
    }

    private synchronized List<Known> due() {
        forgetUnneeded();
        return known.due(clients.all());
    }

    /** Forgets answers that no client needs. If nothing is left, no client can continue from an earlier event. */
    private void forgetUnneeded() {
        known.forgetUnneeded(clients.all());
        if (known.isEmpty()) {
            clients.events().clear();
            outage.end();
        }
    }

    /** Reads a view. Returns false if ZooKeeper does not answer. */
    private boolean readOne(Known view) {
        Map<String, Object> values;
        views.forgetAnswers(view.source.view()::equals); // so that this poll gets no earlier answer
        try {
            values = view.source.byKey().apply(view.source.reader().apply(views));
        } catch (RuntimeException e) {
            values = view.source.valuesOf(e);
            if (values == null) {
                fail(view.source, e);
                return false;
            }
        }
        boolean first;
        synchronized (this) {
            known.read(view, values);
            first = view.values == null;
            if (first) { // the read began before the feed followed the view, so it was not observed
                take(view, values);
            }
        }
        if (first) {
            clients.signal();
        }
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

    @Override
    public void changed() {
        synchronized (this) {
            known.refresh();
            if (clients.all().isEmpty()) {
                return;
            }
        }
        poller.poll();
    }

    private void observed(View view, Function<Source, @Nullable Map<String, Object>> result) {
        synchronized (this) {
            Known followed = known.get(view);
            if (followed == null || (clients.all().isEmpty() && known.isOld(followed))) {
                return;
            }
            Map<String, Object> values = result.apply(followed.source);
            if (values != null) {
                take(followed, values);
            }
        }
        clients.signal();
    }

    /** Stores an answer, and publishes the differences from the previous answer. */
    private void take(Known view, Map<String, Object> values) {
        Map<String, Object> before = view.values;
        view.values = values;
        if (before == null) {
            forgetOthers();
            view.since = clients.events().skip(); // a client that only knows an earlier answer cannot continue
            greet();
            return;
        }
        if (Source.moved(before, values)) { // the answers of other views, such as items, may be older than this answer
            known.refresh();
            views.forgetAnswers(each -> true);
        }
        publish(view.source.differences().between(before, values));
    }

    private void forgetOthers() {
        views.forget(view -> known.get(view) == null);
    }

    private void publish(List<LiveEvent> changes) {
        if (changes.isEmpty()) {
            return;
        }
        forgetOthers();
        clients.publish(changes);
    }

    private void fail(Source source, RuntimeException e) {
        synchronized (this) {
            LiveEvent unavailable = outage.begin(source, e);
            if (unavailable == null) {
                return;
            }
            publish(List.of(unavailable));
            clients.all().stream().filter(each -> !each.isGreeted()).forEach(this::warn);
        }
        clients.signal();
    }

    /** Ends all streams. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        clients.close();
    }
}
