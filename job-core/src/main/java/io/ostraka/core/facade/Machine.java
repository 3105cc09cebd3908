package io.ostraka.core.facade;

import io.ostraka.core.time.Alarm;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.trigger.WheelTimer;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The timer and the threads that one engine has of this machine. Closed after the engine, with its alarm. */
public final class Machine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Machine.class);
    /** Threads for the engine's own short tasks; they never block. */
    private static final int LANE_THREADS = 2;

    private static final Duration IDLE_WORKER = Duration.ofSeconds(30);

    private final Clock clock;
    private final Alarm alarm;
    private final Timer timer = new WheelTimer();
    private final ExecutorService lanes = new ThreadPoolExecutor(
            LANE_THREADS, LANE_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads("ostraka-lane-"));
    private final ExecutorService workers = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_WORKER.toSeconds(),
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads("ostraka-worker-"));

    /** Starts the timer; threads start when they are needed. */
    public Machine(Clock clock, Alarm alarm) {
        this.clock = clock;
        this.alarm = alarm;
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
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
            // whoever asked looks at how it came out
        }
    }

    /** Returns all of it as an engine takes it. */
    public Platform platform() {
        return new Platform(clock, alarm, timer, lanes, workers, Machine::await);
    }

    @Override
    public void close() {
        alarm.close();
        timer.close();
        lanes.shutdown();
        // a run that ignores its cancellation must not keep the process alive by threads that nobody waits for
        workers.shutdown();
    }
}
