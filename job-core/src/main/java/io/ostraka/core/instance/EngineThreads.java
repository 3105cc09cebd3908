package io.ostraka.core.instance;

import io.ostraka.core.time.Clock;
import io.ostraka.core.time.DaemonThreads;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.time.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timer and the threads of one engine. The owner closes the engine first and this object afterwards. Closing this
 * object also closes the fire timer.
 */
public final class EngineThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EngineThreads.class);
    /** Number of threads for the engine's own tasks. These tasks are short and never block. */
    private static final int ENGINE_THREADS = 2;

    /** Time that {@link #close} waits for the threads to end. */
    private static final Duration LAST_WAIT = Duration.ofSeconds(2);

    private static final Duration IDLE_WORKER = Duration.ofSeconds(30);

    private final Clock clock;
    private final FireTimer fireTimer;
    private final Timer timer = new WheelTimer();
    private final ExecutorService engineThreads = new ThreadPoolExecutor(
            ENGINE_THREADS,
            ENGINE_THREADS,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads("ostraka-engine-"));
    private final ExecutorService workers;
    private final AtomicBoolean kept = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Starts the timer. All other threads start when they are needed. User code runs on pooled threads. */
    public EngineThreads(Clock clock, FireTimer fireTimer) {
        this(clock, fireTimer, false);
    }

    /**
     * Starts the timer. User code runs on pooled or on virtual threads.
     *
     * @param virtualThreads true to run user code on virtual threads, one per run; false for pooled threads
     * @throws UnsupportedOperationException if virtual threads are requested and this JVM has none
     */
    public EngineThreads(Clock clock, FireTimer fireTimer, boolean virtualThreads) {
        this(clock, fireTimer, virtualThreads ? virtualThreads() : pooledThreads(IDLE_WORKER));
    }

    private EngineThreads(Clock clock, FireTimer fireTimer, ExecutorService workers) {
        this.clock = clock;
        this.fireTimer = fireTimer;
        this.workers = workers;
    }

    /** Creates engine threads with pooled worker threads that end after the given idle time. */
    static EngineThreads givingBackAfter(Duration idle, Clock clock, FireTimer fireTimer) {
        return new EngineThreads(clock, fireTimer, pooledThreads(idle));
    }

    /**
     * Creates a pool with one thread for each current run and task. The pool itself has no limit, because the slots
     * limit the number of runs and tasks. Idle threads end.
     */
    private static ExecutorService pooledThreads(Duration idle) {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                idle.toMillis(),
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                threads("ostraka-worker-"));
    }

    private static ExecutorService virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class, long.class).invoke(builder, "ostraka-worker-", 1L);
            builder = type.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(builder, false);
            ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
            return (ExecutorService) Executors.class
                    .getMethod("newThreadPerTaskExecutor", ThreadFactory.class)
                    .invoke(null, factory);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "virtual threads need JDK 21 or later, and this is " + Runtime.version(), e);
        }
    }

    private static ThreadFactory threads(String prefix) {
        DaemonThreads daemons = DaemonThreads.numbered(prefix);
        return task -> {
            Thread thread = daemons.newThread(task);
            thread.setUncaughtExceptionHandler((failed, error) ->
                    log.error("{} failed; this is a defect, please report it", failed.getName(), error));
            return thread;
        };
    }

    /**
     * Starts a thread that keeps the process alive until {@link #close}, even if the application has no other thread.
     * Further calls have no effect. May be called on any thread.
     */
    public void keepProcessAlive() {
        if (!kept.compareAndSet(false, true)) {
            return;
        }
        var keeper = new Thread(
                () -> {
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "ostraka-keeps-process-alive");
        keeper.setDaemon(false);
        try {
            keeper.start();
        } catch (Throwable e) { // the job is hosted anyway, and the next call retries
            kept.set(false);
            log.error(
                    "no thread could be started that keeps this process alive; it may end with its last other thread",
                    e);
        }
    }

    /** Returns the platform that the engine uses. */
    public Platform platform() {
        return new Platform(clock, fireTimer, timer, engineThreads, workers, Platform.Waiting.BLOCKING);
    }

    @Override
    public void close() {
        stop(LAST_WAIT);
    }

    /**
     * Stops the timer, the fire timer and the threads. Threads that do not end in time are interrupted. User code that still
     * runs after this call cannot keep the process alive, because all these threads are daemon threads.
     *
     * @param limit time limit of this call
     * @return descriptions of the threads that did not end in time
     */
    public List<String> stop(Duration limit) {
        long begun = clock.monotonicNanos();
        closed.countDown();
        fireTimer.close();
        timer.close();
        engineThreads.shutdown();
        workers.shutdown();
        List<String> late = new ArrayList<>();
        // the engine's own tasks are short, so user code gets nearly the whole limit
        if (!ended(engineThreads, limit.dividedBy(2))) {
            late.add("the engine's own tasks");
        }
        if (!ended(workers, limit.minusNanos(clock.monotonicNanos() - begun))) {
            late.add(
                    workers instanceof ThreadPoolExecutor pool
                            ? pool.getActiveCount() + " worker threads"
                            : "worker threads");
        }
        return late;
    }

    private static boolean ended(ExecutorService executor, Duration limit) {
        try {
            if (executor.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdownNow();
        return false;
    }
}
