package io.ostraka.faults.worker;

import io.ostraka.core.time.FireTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The fire timer of a clock that can be set. It must notice when the clock jumps, so it checks the clock every few seconds,
 * as Quartz checks the machine's clock. For these checks it uses another fire timer, which follows the true time.
 * Thread-safe.
 */
final class MovableFireTimer implements FireTimer {
    private static final Duration LOOKS_AT_CLOCK = Duration.ofSeconds(5);

    private final MovableClock clock;
    private final FireTimer real;
    /** Latest task of each key. Guarded by this object's lock. */
    private final Map<String, Runnable> set = new HashMap<>();

    MovableFireTimer(MovableClock clock, FireTimer real) {
        this.clock = clock;
        this.real = real;
    }

    @Override
    public synchronized void wakeAt(String key, Instant at, Runnable wake) {
        Runnable once = wake::run; // a separate object for each call, by which later calls are recognised
        set.put(key, once);
        lookAgain(key, at, once);
    }

    private void lookAgain(String key, Instant at, Runnable wake) {
        Instant look = clock.now().plus(LOOKS_AT_CLOCK);
        Instant next = at.isBefore(look) ? at : look;
        real.wakeAt(key, next.minus(clock.ahead()), () -> look(key, at, wake));
    }

    private void look(String key, Instant at, Runnable wake) {
        synchronized (this) {
            if (set.get(key) != wake) {
                return; // the task was cancelled or replaced meanwhile
            }
            if (clock.now().isBefore(at)) {
                lookAgain(key, at, wake);
                return;
            }
            set.remove(key);
        }
        wake.run();
    }

    @Override
    public synchronized void cancel(String key) {
        set.remove(key);
        real.cancel(key);
    }

    @Override
    public void close() {
        real.close();
    }
}
