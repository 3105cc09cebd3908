package io.ostraka.console.live;

import io.ostraka.console.live.EventLog.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a feed, with their latest events. Sends heartbeats while there are clients. Not thread-safe: the lock
 * of the feed guards it. However, the feed calls {@link #signal} and {@link #close} without the lock.
 */
final class Clients {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final ScheduledExecutorService timer;
    private final List<Subscriber> all = new CopyOnWriteArrayList<>();
    private final EventLog events = new EventLog();
    private @Nullable Future<?> beat;

    /** @param timer starts the heartbeats, which do not block */
    Clients(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** Returns the clients. */
    List<Subscriber> all() {
        return all;
    }

    /** Returns the latest events. */
    EventLog events() {
        return events;
    }

    void add(Subscriber client) {
        all.add(client);
        if (beat == null) {
            beat = startHeartbeats();
        }
    }

    private @Nullable Future<?> startHeartbeats() {
        try {
            return timer.scheduleWithFixedDelay(
                    () -> all.forEach(Subscriber::beat),
                    HEARTBEAT.toNanos(),
                    HEARTBEAT.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // the console shuts down
            return null;
        }
    }

    void remove(Subscriber client) {
        all.remove(client);
        if (all.isEmpty() && beat != null) {
            beat.cancel(false);
            beat = null;
        }
    }

    /** Gives the events their numbers, and offers them to the clients. */
    void publish(List<LiveEvent> changes) {
        List<Entry> entries = changes.stream().map(events::add).toList();
        all.forEach(each -> each.offer(entries));
    }

    /** Tells the adapters that there may be something to write. */
    void signal() {
        all.forEach(Subscriber::signal);
    }

    /** Ends all streams. */
    void close() {
        all.forEach(Subscriber::close);
    }
}
