package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SpeedTest {
    private static final long SLOW = Duration.ofMillis(501).toNanos();

    private final RunSlots.Speed speed = new RunSlots.Speed();

    private static long at(double seconds) {
        return (long) (seconds * 1e9) + Long.MAX_VALUE - 30_000_000_000L; // the monotonic clock may overflow
    }

    @Test
    void elevenSlowRunsWithinAMinuteMakeAJobSlow() {
        for (int run = 0; run < 10; run++) {
            speed.ended(SLOW, at(run));
        }
        assertThat(speed.slow(at(10))).isFalse();

        speed.ended(SLOW, at(11));

        assertThat(speed.slow(at(11))).isTrue();
    }

    @Test
    void quickRunsDoNotCount() {
        for (int run = 0; run < 100; run++) {
            speed.ended(SLOW - 2_000_000, at(run * 0.1));
        }

        assertThat(speed.slow(at(10))).isFalse();
    }

    @Test
    void elevenSlowRunsInLongerTimeKeepJobQuick() {
        for (int run = 0; run < 100; run++) {
            speed.ended(SLOW, at(run * 6.1));
        }

        assertThat(speed.slow(at(610))).isFalse();
    }

    @Test
    void minuteWithoutSlowRunMakesJobQuickAgain() {
        for (int run = 0; run < 11; run++) {
            speed.ended(SLOW, at(run));
        }
        speed.ended(SLOW, at(60));
        speed.ended(1, at(70));

        assertThat(speed.slow(at(119))).isTrue();
        assertThat(speed.slow(at(121))).isFalse();
        speed.ended(SLOW, at(122));
        assertThat(speed.slow(at(122))).isFalse();
    }
}
