package io.ostraka.core.time;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A timer that uses Netty's hashed wheel. Its daemon thread ticks every 10 ms. A callback may come up to two ticks late,
 * but never early. Thread-safe; setting and cancelling take constant time. After {@link #close}, setting a timer has no
 * effect. If a callback throws an exception, Netty logs it.
 */
public final class WheelTimer implements Timer {
    private static final long TICK_MILLIS = 10;
    private static final int TICKS_PER_WHEEL = 512;

    private final HashedWheelTimer wheel = new HashedWheelTimer(
            DaemonThreads.named("ostraka-timer"), TICK_MILLIS, TimeUnit.MILLISECONDS, TICKS_PER_WHEEL, false);
    private volatile boolean closed;

    /** Starts the timer's thread now, because Netty's wheel blocks all callers if its first use finds no thread. */
    public WheelTimer() {
        wheel.start();
    }

    @Override
    public Runnable after(Duration delay, Runnable wake) {
        long nanos = delay.isNegative() ? 0 : saturatedNanos(delay);
        synchronized (wheel) {
            if (closed) {
                return () -> {};
            }
            Timeout timeout = wheel.newTimeout(expired -> wake.run(), nanos, TimeUnit.NANOSECONDS);
            return timeout::cancel;
        }
    }

    /** Uses the timer of the JDK. */
    @Override
    public void rescue(Duration delay, Runnable wake) {
        CompletableFuture.delayedExecutor(saturatedNanos(delay), TimeUnit.NANOSECONDS, Runnable::run)
                .execute(() -> {
                    if (!closed) {
                        wake.run();
                    }
                });
    }

    private static long saturatedNanos(Duration delay) {
        try {
            return delay.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if a callback calls this method
     */
    @Override
    public void close() {
        synchronized (wheel) {
            closed = true;
        }
        wheel.stop();
    }
}
