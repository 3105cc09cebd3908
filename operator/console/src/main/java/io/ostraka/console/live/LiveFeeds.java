package io.ostraka.console.live;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.Problem;
import io.ostraka.core.time.Clock;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The live events of all namespaces. Each namespace has a feed, which reads only while it has clients. The number of
 * streams is limited, in total and for each caller. Thread-safe.
 */
public final class LiveFeeds implements LiveStream, AutoCloseable {
    /** Largest number of streams. */
    static final int MOST_STREAMS = 200;
    /** Largest number of streams of one caller. */
    static final int MOST_OF_CALLER = 10;

    private static final long IDLE_SECONDS = 30;

    private final Function<String, Optional<SharedViews>> namespaces;
    private final ExecutorService reads;
    private final ScheduledExecutorService timer;
    private final Clock clock;
    private final Supplier<String> epochs;

    // guarded by this
    private final Map<String, LiveFeed> feeds = new HashMap<>();
    private final Map<String, Integer> streams = new HashMap<>();
    private boolean closed;

    /**
     * Creates the feeds, with daemon threads of their own: one for the timer, and others that run only while a client
     * follows a namespace.
     *
     * @param namespaces returns the views of a namespace, which the routes use too; empty if the configuration does not
     *     name the namespace
     * @param readers largest number of threads that read. A read waits while ZooKeeper does not answer, so a namespace
     *     that does not answer occupies one thread
     * @param clock measures when a read is due
     */
    public LiveFeeds(Function<String, Optional<SharedViews>> namespaces, int readers, Clock clock) {
        this(namespaces, reads(readers), timer(), clock, random());
    }

    /**
     * Creates the feeds, which shut down the executor and the timer when they are closed.
     *
     * @param reads runs the reads, at most one for each namespace at a time
     * @param timer starts reads and heartbeats; its tasks do not block
     */
    LiveFeeds(
            Function<String, Optional<SharedViews>> namespaces,
            ExecutorService reads,
            ScheduledExecutorService timer,
            Clock clock,
            Supplier<String> epochs) {
        this.namespaces = namespaces;
        this.reads = reads;
        this.timer = timer;
        this.clock = clock;
        this.epochs = epochs;
    }

    private static ExecutorService reads(int readers) {
        ThreadPoolExecutor reads = new ThreadPoolExecutor(
                readers, readers, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("live"));
        reads.allowCoreThreadTimeOut(true);
        return reads;
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("timer"));
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, "ostraka-console-" + name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private static Supplier<String> random() {
        SecureRandom random = new SecureRandom();
        return () -> Long.toHexString(random.nextLong());
    }

    @Override
    public Subscription subscribe(EventRequest request, Caller caller, BooleanSupplier valid) {
        Optional<SharedViews> views =
                caller.sees(request.namespace()) ? namespaces.apply(request.namespace()) : Optional.empty();
        if (views.isEmpty()) { // the same answer as for a namespace that does not exist
            throw new Problem(
                    Problem.Code.NOT_FOUND,
                    "namespace '" + request.namespace() + "' does not exist, or you may not see it");
        }
        String name = caller.name();
        LiveFeed feed = enter(request.namespace(), views.get(), name);
        return feed.subscribe(request, caller, valid, () -> leave(name));
    }

    private synchronized LiveFeed enter(String namespace, SharedViews views, String caller) {
        if (closed) {
            throw new Problem(Problem.Code.UNAVAILABLE, "the console shuts down; connect again later");
        }
        int all = streams.values().stream().mapToInt(Integer::intValue).sum();
        int own = streams.getOrDefault(caller, 0);
        if (own >= MOST_OF_CALLER) {
            throw new Problem(
                    Problem.Code.TOO_MANY_REQUESTS,
                    "'" + caller + "' already has " + own
                            + " streams of events, which is the limit; close other pages");
        } else if (all >= MOST_STREAMS) {
            throw new Problem(
                    Problem.Code.TOO_MANY_REQUESTS,
                    "the console already has " + all + " streams of events, which is the limit; try again later");
        }
        streams.put(caller, own + 1);
        return feeds.computeIfAbsent(namespace, name -> new LiveFeed(name, views, reads, timer, clock, epochs.get()));
    }

    private synchronized void leave(String caller) {
        streams.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
    }

    /** Ends all streams, accepts no more, and stops the threads. */
    @Override
    public void close() {
        List<LiveFeed> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(feeds.values());
        }
        all.forEach(LiveFeed::close);
        timer.shutdownNow();
        reads.shutdownNow();
    }
}
