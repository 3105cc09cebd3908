package io.ostraka.core.time;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Timer on Netty's hashed wheel, with one daemon thread that starts with the first use and ticks every 10 ms. A
 * callback comes up to two ticks late, never early. Thread-safe; setting and cancelling take constant time. After
 * {@link #close} no callback begins and setting does nothing. Netty logs a callback that throws.
 */
public final class WheelTimer implements Timer {
    private static final long TICK_MILLIS = 10;
    private static final int TICKS_PER_WHEEL = 512;

    private final HashedWheelTimer wheel = new HashedWheelTimer(
            new DefaultThreadFactory("ostraka-timer", true),
            TICK_MILLIS,
            TimeUnit.MILLISECONDS,
            TICKS_PER_WHEEL,
            false);
    private boolean closed;

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
     * @throws IllegalStateException if a callback calls it
     */
    @Override
    public void close() {
        synchronized (wheel) {
            closed = true;
        }
        wheel.stop();
    }
}
