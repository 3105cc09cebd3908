package io.ostraka.core.instance;

import io.ostraka.core.time.Alarm;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.time.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The timer and threads of one engine. Closed after the engine, together with its alarm. */
public final class EngineThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EngineThreads.class);
    /** Number of threads for the engine's own tasks, which are short and never block. */
    private static final int ENGINE_THREADS = 2;

    /** Time for the threads to end at closing. */
    private static final Duration LAST_WAIT = Duration.ofSeconds(2);

    private static final Duration IDLE_WORKER = Duration.ofSeconds(30);

    private final Clock clock;
    private final Alarm alarm;
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

    /** Starts the timer; threads start when they are needed. */
    public EngineThreads(Clock clock, Alarm alarm) {
        this(clock, alarm, false);
    }

    /**
     * Starts the timer, with a choice of threads for user code.
     *
     * @param virtualThreads whether each run has its own virtual thread
     * @throws UnsupportedOperationException if virtual threads are requested and this JVM has none
     */
    public EngineThreads(Clock clock, Alarm alarm, boolean virtualThreads) {
        this(clock, alarm, virtualThreads ? virtualThreads() : pooledThreads(IDLE_WORKER));
    }

    private EngineThreads(Clock clock, Alarm alarm, ExecutorService workers) {
        this.clock = clock;
        this.alarm = alarm;
        this.workers = workers;
    }

    /** Creates pooled threads that end after an idle time. */
    static EngineThreads givingBackAfter(Duration idle, Clock clock, Alarm alarm) {
        return new EngineThreads(clock, alarm, pooledThreads(idle));
    }

    /** Creates a pool with one thread per present run and task. The engine bounds their number; idle threads end. */
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
            ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
            return (ExecutorService) Executors.class
                    .getMethod("newThreadPerTaskExecutor", ThreadFactory.class)
                    .invoke(null, factory);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "virtual threads need JDK 21 or later, and this is " + Runtime.version(), e);
        }
    }

    /** Creates daemon threads, because neither user code that never returns nor an idle engine may keep the process alive. */
    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((failed, error) ->
                    log.error("{} failed; this is a defect, please report it", failed.getName(), error));
            return thread;
        };
    }

    private static void await(CompletableFuture<?> answer, Duration timeout)
            throws TimeoutException, InterruptedException {
        try {
            answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            // the caller reads the result
        }
    }

    /**
     * Keeps the process alive until {@link #close}, even if the application has no other thread. May be called from any
     * thread; further calls have no effect.
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
        } catch (Throwable e) { // the job is hosted nevertheless; the next call tries again
            kept.set(false);
            log.error(
                    "no thread could be started that keeps this process alive; it may end with its last other thread",
                    e);
        }
    }

    /** Returns the platform of an engine. */
    public Platform platform() {
        return new Platform(clock, alarm, timer, engineThreads, workers, EngineThreads::await);
    }

    @Override
    public void close() {
        stop(LAST_WAIT);
    }

    /**
     * Closes the threads, and interrupts those that do not end in time. User code that still runs cannot keep the
     * process alive.
     *
     * @param limit time limit of the call
     * @return descriptions of the threads that did not end in time
     */
    public List<String> stop(Duration limit) {
        long begun = clock.monotonicNanos();
        closed.countDown();
        alarm.close();
        timer.close();
        engineThreads.shutdown();
        workers.shutdown();
        List<String> late = new ArrayList<>();
        // the engine's own tasks take no time; user code has the rest of the limit
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
