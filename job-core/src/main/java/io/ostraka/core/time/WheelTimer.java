package io.ostraka.core.time;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The timer on Netty's hashed wheel: one daemon thread, which starts with the first use and then ticks every 10 ms. A
 * callback comes up to two ticks late, never early. Thread-safe; setting and taking back cost the same however many are
 * set. After {@link #close} nothing is called back, and setting does nothing. A callback that throws is logged by Netty.
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
     * @throws IllegalStateException when called by a callback
     */
    @Override
    public void close() {
        synchronized (wheel) {
            closed = true;
        }
        wheel.stop();
    }
}
