package io.ostraka.lite.scenario;

import io.ostraka.core.time.Timer;
import io.ostraka.core.time.WheelTimer;
import java.time.Duration;

/**
 * A timer that makes completions wait for the rest of their batch without a time limit. The number of transactions is
 * then exact on slow machines too.
 */
public final class EndlessBatchDelay implements Timer {
    /** Time for which the engine waits for another completion of a claimed batch. */
    private static final Duration LINGER = Duration.ofMillis(20);

    private final Timer real = new WheelTimer();
    private volatile boolean waited;

    /** Returns whether a completion has waited for others. */
    boolean waited() {
        return waited;
    }

    @Override
    public Runnable after(Duration delay, Runnable wake) {
        if (delay.equals(LINGER)) {
            waited = true;
            return () -> {};
        }
        return real.after(delay, wake);
    }

    @Override
    public void close() {
        real.close();
    }
}
