package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FixedRateFireTimesTest {
    private static final Instant ANCHOR = Instant.parse("2025-01-01T00:00:00.005Z");

    @Test
    void anchorIsFirstFire() {
        FireTimes fireTimes = every(Duration.ofSeconds(10));

        assertThat(fireTimes.next(Instant.EPOCH)).contains(ANCHOR);
        assertThat(fireTimes.next(ANCHOR.minusNanos(1))).contains(ANCHOR);
        assertThat(fireTimes.next(ANCHOR)).contains(ANCHOR.plusSeconds(10));
        assertThat(fireTimes.next(ANCHOR.plusSeconds(10).minusNanos(1))).contains(ANCHOR.plusSeconds(10));
        assertThat(fireTimes.latest(Instant.EPOCH, ANCHOR, 9)).containsExactly(ANCHOR);
        assertThat(fireTimes.latest(ANCHOR, ANCHOR.plusSeconds(9), 9)).isEmpty();
        assertThat(fireTimes.count(Instant.EPOCH, ANCHOR.minusMillis(1))).isZero();
    }

    @Test
    void countsTenMillisecondsOverYearExactly() {
        FireTimes fireTimes = every(Duration.ofMillis(10));
        Instant end = ANCHOR.plus(Duration.ofDays(365)).plusMillis(9);
        long fires = 365L * 86_400 * 100;

        assertThat(fireTimes.count(ANCHOR, end)).isEqualTo(fires);
        assertThat(fireTimes.count(ANCHOR.minusMillis(1), end)).isEqualTo(fires + 1);
        assertThat(fireTimes.latest(ANCHOR, end, 3))
                .containsExactly(end.minusMillis(29), end.minusMillis(19), end.minusMillis(9));
        assertThat(fireTimes.next(end)).contains(end.plusMillis(1));
    }

    @Test
    void nextLatestAndCountAgree() {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        for (int sample = 0; sample < 1_000; sample++) {
            FireTimes fireTimes = every(Duration.ofMillis(random.nextLong(10, 100)));
            Instant after = ANCHOR.plusMillis(random.nextLong(-1_000, 1_000));
            Instant upTo = after.plusMillis(random.nextLong(1_000));
            List<Instant> fires = new ArrayList<>();
            Instant next = fireTimes.next(after).orElseThrow();
            while (!next.isAfter(upTo)) {
                fires.add(next);
                next = fireTimes.next(next).orElseThrow();
            }
            int max = 1 + random.nextInt(20);

            assertThat(fireTimes.count(after, upTo)).as("seed %d", seed).isEqualTo(fires.size());
            assertThat(fireTimes.latest(after, upTo, max))
                    .as("seed %d", seed)
                    .isEqualTo(fires.subList(Math.max(0, fires.size() - max), fires.size()));
        }
    }

    @Test
    void acceptsAnyInstant() {
        FireTimes fireTimes = every(Duration.ofDays(36_500));

        assertThat(fireTimes.next(Instant.MIN)).contains(ANCHOR);
        assertThat(fireTimes.next(Instant.MAX)).isEmpty();
        assertThat(fireTimes.latest(Instant.MAX, Instant.MIN, 1)).isEmpty();
        assertThat(fireTimes.latest(Instant.MIN, Instant.MAX, Integer.MAX_VALUE))
                .hasSize(80);
        assertThat(fireTimes.count(Instant.MIN, Instant.MAX)).isEqualTo(80);
        assertThat(fireTimes.count(Instant.MAX, Instant.MIN)).isZero();
    }

    private static FireTimes every(Duration period) {
        return FireSchedules.of("job", Schedule.fixedRate(period), ANCHOR.plusNanos(999));
    }
}
