package io.ostraka.console.live;

import com.google.gson.JsonObject;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.live.EventLog.Entry;
import io.ostraka.console.live.LiveEvent.Plain;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of one client: a bounded queue between the feed and the adapter. The queue holds at most one event for
 * each subject. The client is greeted with {@code hello}, or with {@code reset} if it wanted to continue and cannot.
 * Before the greeting, the client gets no event except {@code unavailable}.
 */
final class Subscriber implements Subscription, LiveEvent.Audience {
    /** Largest number of events that wait for the adapter. */
    static final int MOST_EVENTS = 256;
    /** Number of heartbeats after which a client that takes no event is disconnected. */
    static final int MOST_UNTAKEN = 4;

    private static final Logger log = LoggerFactory.getLogger(Subscriber.class);
    private static final Duration RETRY = Duration.ofSeconds(3);
    private static final int ENOUGH_BYTES = 32 * 1024;

    /** An event that waits, with its id; the id is null for an event that a client must not continue from. */
    private record Waiting(@Nullable String id, LiveEvent event) {}

    private final EventRequest request;
    private final Caller caller;
    private final BooleanSupplier valid;
    private final String epoch;
    private final AtomicBoolean left = new AtomicBoolean();
    private final Runnable leave;

    /** Latest answers of the grants by job. The empty name stands for all jobs of the namespace. */
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>();

    private volatile boolean outdated;

    // guarded by this
    private final Map<String, Waiting> queue = new LinkedHashMap<>();
    private boolean greeted;
    private boolean begun;
    private boolean heartbeat;
    private int untaken;

    private volatile boolean ended;
    private volatile @Nullable Runnable listener;

    /**
     * Creates a client that has not been greeted yet.
     *
     * @param valid returns false once the caller's session or token is no longer valid
     * @param epoch epoch of the feed
     * @param leave removes the client from the feed; called once
     */
    Subscriber(EventRequest request, Caller caller, BooleanSupplier valid, String epoch, Runnable leave) {
        this.request = request;
        this.caller = caller;
        this.valid = valid;
        this.epoch = epoch;
        this.leave = leave;
    }

    /** Returns the jobs whose items the client follows and may see. */
    List<String> followed() {
        return request.jobs().stream().filter(this::sees).toList();
    }

    /**
     * Returns whether the client may see a job, as its grants have last {@linkplain #ask answered}; true before the
     * first answer, because {@link #poll} asks again. Never waits.
     */
    @Override
    public boolean sees(@Nullable String job) {
        return answers.getOrDefault(key(job), true);
    }

    /** Asks the grants. May wait for ZooKeeper, because a grant by label reads the labels; called without locks. */
    private void ask(@Nullable String job) {
        boolean may = false;
        try {
            may = caller.has(Role.VIEWER, request.namespace(), job);
        } catch (RuntimeException e) {
            failed(e);
        }
        answers.put(key(job), may);
    }

    private static String key(@Nullable String job) {
        return job == null ? "" : job;
    }

    /**
     * Asks the grants about the jobs that the client follows, and after a heartbeat about the jobs that it may not see,
     * whose labels may have changed. May wait for ZooKeeper; called without locks.
     */
    void ask() {
        request.jobs().forEach(this::ask);
        if (outdated) {
            outdated = false;
            answers.forEach((job, may) -> {
                if (!may) {
                    ask(job.isEmpty() ? null : job);
                }
            });
        }
    }

    private void failed(RuntimeException e) {
        log.warn(
                "namespace '{}': the grants of the caller of an event stream cannot be checked; the caller gets no events",
                request.namespace(),
                e);
    }

    @Override
    public boolean shows(String job) {
        return request.shows(job);
    }

    @Override
    public boolean follows(String job) {
        return request.jobs().contains(job);
    }

    /** Returns whether the client has been greeted, or continues an earlier stream. */
    synchronized boolean isGreeted() {
        return greeted;
    }

    /** Greets the client with the number of the latest event. The client reads the lists, and gets all later events. */
    synchronized void greet(long number) {
        greeted = true;
        queue.clear();
        put(number, marker(request.lastEventId() == null ? "hello" : "reset"));
    }

    /** Continues where the client's last connection ended. */
    synchronized void resume(List<Entry> missed) {
        greeted = true;
        offer(missed);
    }

    /** Offers events in their order. If too many events wait, drops all and asks the client to read the lists. */
    synchronized void offer(List<Entry> events) {
        if (ended || !greeted || events.isEmpty()) {
            return;
        }
        for (Entry each : events) {
            if (each.event().concerns(this)) {
                put(each.number(), each.event());
            }
        }
        if (queue.size() > MOST_EVENTS) {
            queue.clear();
            put(events.get(events.size() - 1).number(), marker("reset"));
        }
    }

    private void put(long number, LiveEvent event) {
        put(new EventId(epoch, number).toString(), event);
    }

    private void put(@Nullable String id, LiveEvent event) {
        Waiting earlier = queue.remove(event.subject());
        queue.put(event.subject(), new Waiting(id, earlier == null ? event : event.after(earlier.event)));
    }

    /** Queues {@code unavailable} for a client that connects during an outage. */
    synchronized void warn(LiveEvent unavailable) {
        put((String) null, unavailable);
    }

    private static LiveEvent marker(String type) {
        return Plain.toEveryone(type, type, new JsonObject());
    }

    /** Queues a heartbeat. Ends the stream if the caller is no longer valid, or if the client takes nothing. */
    void beat() {
        boolean stuck;
        synchronized (this) {
            untaken = queue.isEmpty() && !heartbeat ? 0 : untaken + 1;
            stuck = untaken >= MOST_UNTAKEN;
            heartbeat = true;
        }
        outdated = true;
        if (stuck || !isValid()) {
            close();
        } else {
            signal();
        }
    }

    /** Returns whether the caller may still see the namespace; false if this cannot be checked. */
    boolean isValid() {
        try {
            return valid.getAsBoolean() && caller.sees(request.namespace());
        } catch (RuntimeException e) {
            failed(e);
            return false;
        }
    }

    @Override
    public byte @Nullable [] poll() {
        if (!ended && !isValid()) {
            close();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        synchronized (this) {
            untaken = 0;
            if (!ended && !begun) {
                begun = true;
                bytes.writeBytes(EventFrame.retry(RETRY));
            }
        }
        Waiting next = take();
        while (next != null) {
            ask(null);
            next.event.jobs().forEach(this::ask); // the grants may have changed since it was queued
            if (next.event.concerns(this)) {
                bytes.writeBytes(new EventFrame(next.id, next.event.type(), next.event.data(this)).bytes());
            }
            next = bytes.size() < ENOUGH_BYTES ? take() : null;
        }
        synchronized (this) {
            if (heartbeat && bytes.size() == 0) {
                bytes.writeBytes(EventFrame.heartbeat());
            }
            heartbeat = false;
            return ended || bytes.size() == 0 ? null : bytes.toByteArray();
        }
    }

    /** Takes the next event from the queue; null if there is none. */
    private synchronized @Nullable Waiting take() {
        Iterator<Waiting> events = queue.values().iterator();
        if (!events.hasNext()) {
            return null;
        }
        Waiting next = events.next();
        events.remove();
        return next;
    }

    @Override
    public void onReady(Runnable ready) {
        listener = ready;
        signal();
    }

    /** Tells the adapter that there may be something to write. Called without locks. */
    void signal() {
        Runnable ready = listener;
        if (ready == null) {
            return;
        }
        try {
            ready.run();
        } catch (RuntimeException e) {
            log.warn("namespace '{}': a stream of events failed and ends", request.namespace(), e);
            listener = null;
            close();
        }
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public void close() {
        synchronized (this) {
            ended = true;
            queue.clear();
        }
        if (left.compareAndSet(false, true)) {
            leave.run();
            signal();
        }
    }
}
