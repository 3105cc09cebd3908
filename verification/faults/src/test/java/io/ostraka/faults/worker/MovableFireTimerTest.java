package io.ostraka.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.time.FireTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MovableFireTimerTest {
    private final Map<String, Runnable> set = new TreeMap<>();
    private final Map<String, Instant> times = new TreeMap<>();
    private final MovableClock clock = new MovableClock();
    private final List<String> woken = new ArrayList<>();
    private final MovableFireTimer fireTimer = new MovableFireTimer(clock, new FireTimer() {
        @Override
        public void wakeAt(String key, Instant at, Runnable wake) {
            set.put(key, wake);
            times.put(key, at);
        }

        @Override
        public void cancel(String key) {
            set.remove(key);
        }

        @Override
        public void close() {
            set.clear();
        }
    });

    @Test
    void clockJumpIsNoticedWithinSecondsForDistantWakeUp() {
        Instant at = clock.now().plus(Duration.ofHours(1));
        fireTimer.wakeAt("key", at, () -> woken.add("woken"));
        assertThat(times.get("key")).isBefore(clock.now().plus(Duration.ofSeconds(6)));

        fire();
        assertThat(woken).isEmpty();

        clock.move(Duration.ofHours(2));
        fire();
        assertThat(woken).containsExactly("woken");
        assertThat(set).isEmpty();
    }

    @Test
    void realWakeUpIsSetByTrueTime() {
        clock.move(Duration.ofHours(2));
        Instant at = clock.now().plus(Duration.ofSeconds(1));
        fireTimer.wakeAt("key", at, () -> woken.add("woken"));

        assertThat(times.get("key")).isEqualTo(at.minus(Duration.ofHours(2)));
    }

    @Test
    void cancelledOrReplacedWakeUpDoesNotWake() {
        Instant past = clock.now().minus(Duration.ofSeconds(1));
        fireTimer.wakeAt("key", past, () -> woken.add("old"));
        Runnable old = Objects.requireNonNull(set.get("key"));
        fireTimer.wakeAt("key", past, () -> woken.add("new"));
        old.run();
        fire();
        assertThat(woken).containsExactly("new");

        fireTimer.wakeAt("key", past, () -> woken.add("cancelled"));
        Runnable cancelled = Objects.requireNonNull(set.get("key"));
        fireTimer.cancel("key");
        cancelled.run();
        assertThat(woken).containsExactly("new");
    }

    private void fire() {
        Objects.requireNonNull(set.remove("key")).run();
    }
}
