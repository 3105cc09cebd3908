package io.ostraka.lite.scenario;

import io.ostraka.core.time.Timer;
import io.ostraka.core.time.WheelTimer;
import java.time.Duration;

/**
 * A timer by which the moment for which ends wait for each other never ends: what counts transactions is exact by it
 * however slow the machine is.
 */
public final class EndlessMoment implements Timer {
    /** How long the engine waits for one more end of a claim. */
    private static final Duration MOMENT = Duration.ofMillis(20);

    private final Timer real = new WheelTimer();
    private volatile boolean asked;

    /** Whether ends have waited. */
    boolean asked() {
        return asked;
    }

    @Override
    public Runnable after(Duration delay, Runnable wake) {
        if (delay.equals(MOMENT)) {
            asked = true;
            return () -> {};
        }
        return real.after(delay, wake);
    }

    @Override
    public void close() {
        real.close();
    }
}
