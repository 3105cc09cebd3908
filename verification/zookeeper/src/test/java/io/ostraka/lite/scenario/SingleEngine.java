package io.ostraka.lite.scenario;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.QuartzFireTimer;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.time.Timer;
import io.ostraka.core.time.WheelTimer;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.core.tree.TreeCoordination;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * An engine with real time and threads. Its wall clock may be wrong, and the interval of its periodic checks is a
 * parameter.
 */
public final class SingleEngine implements AutoCloseable {
    private final JobEngine engine;
    private final FireTimer fireTimer;
    private final Timer timer;
    private final ExecutorService executorThreads = Executors.newFixedThreadPool(2);
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private volatile Duration skew;

    SingleEngine(NodeStore store, Duration skew, Duration interval) {
        this(store, skew, interval, new WheelTimer());
    }

    /**
     * Creates an engine.
     *
     * @param timer timer, which the engine closes
     */
    public SingleEngine(NodeStore store, Duration skew, Duration interval, Timer timer) {
        this(store, skew, interval, timer, new SystemClock(), new QuartzFireTimer());
    }

    /** Creates an engine with another clock; the engine closes the fire timer. */
    SingleEngine(NodeStore store, Duration skew, Duration interval, Timer timer, Clock real, FireTimer fireTimer) {
        this.skew = skew;
        this.timer = timer;
        this.fireTimer = fireTimer;
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                return real.now().plus(SingleEngine.this.skew);
            }

            @Override
            public long monotonicNanos() {
                return real.monotonicNanos();
            }
        };
        FireTimer skewed = new FireTimer() {
            @Override
            public void wakeAt(String key, Instant at, Runnable wake) {
                fireTimer.wakeAt(key, at.minus(SingleEngine.this.skew), wake);
            }

            @Override
            public void cancel(String key) {
                fireTimer.cancel(key);
            }

            @Override
            public void close() {
                fireTimer.close();
            }
        };
        Platform platform = new Platform(
                clock, skewed, timer, executorThreads, workers, (answer, timeout) -> answer.handle((value, error) -> "")
                        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                        .exceptionally(error -> "")
                        .join());
        engine = new JobEngine(
                EngineSettings.of("host", 1)
                        .withIntervals(interval, interval, Duration.ofMinutes(10))
                        .withRuns(256, 256), // in some tests hundreds of items run at once
                new TreeCoordination(store, clock),
                platform,
                Map.of(JobConfiguration.DEFAULT_STRATEGY, new StickyBalancedStrategy()));
    }

    /** Sets how far the wall clock is ahead of the true time. */
    void setClock(Duration ahead) {
        skew = ahead;
    }

    /** Starts connecting. */
    public void start() {
        engine.start();
    }

    /** Returns the engine. */
    public JobEngine engine() {
        return engine;
    }

    @Override
    public void close() {
        engine.close();
        fireTimer.close();
        timer.close();
        executorThreads.shutdown();
        workers.shutdown();
    }
}
