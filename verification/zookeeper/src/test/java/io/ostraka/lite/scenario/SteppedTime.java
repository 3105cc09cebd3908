package io.ostraka.lite.scenario;

import io.ostraka.core.time.Clock;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A wall clock that only the test advances, with the fire timers of the engines that use it. Nothing comes due between two
 * steps, however far apart they are. Thread-safe.
 */
final class SteppedTime implements Clock {
    private final SystemClock real = new SystemClock();
    private final List<SteppedFireTimer> timers = new ArrayList<>();
    private Instant now = real.now();

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public long monotonicNanos() {
        return real.monotonicNanos();
    }

    /**
     * Advances the clock by the given duration, or to the true time if that is later. Then runs the fire timers that are
     * due.
     */
    void step(Duration atLeast) {
        List<Runnable> due = new ArrayList<>();
        synchronized (this) {
            Instant next = now.plus(atLeast);
            Instant present = real.now();
            now = next.isAfter(present) ? next : present;
            timers.forEach(fireTimer -> fireTimer.takeDue(due));
        }
        due.forEach(Runnable::run);
    }

    /** Returns a new fire timer, for one engine. */
    synchronized FireTimer fireTimer() {
        SteppedFireTimer fireTimer = new SteppedFireTimer();
        timers.add(fireTimer);
        return fireTimer;
    }

    /** The enclosing clock guards all fields. */
    private final class SteppedFireTimer implements FireTimer {
        private final Map<String, Wake> wakes = new HashMap<>();

        private record Wake(Instant at, Runnable task) {}

        @Override
        public void wakeAt(String key, Instant at, Runnable wake) {
            synchronized (SteppedTime.this) {
                if (at.isAfter(now)) {
                    wakes.put(key, new Wake(at, wake));
                    return;
                }
                wakes.remove(key);
            }
            wake.run();
        }

        private void takeDue(List<Runnable> due) {
            wakes.values().removeIf(wake -> !wake.at.isAfter(now) && due.add(wake.task));
        }

        @Override
        public void cancel(String key) {
            synchronized (SteppedTime.this) {
                wakes.remove(key);
            }
        }

        @Override
        public void close() {
            synchronized (SteppedTime.this) {
                wakes.clear();
            }
        }
    }
}
