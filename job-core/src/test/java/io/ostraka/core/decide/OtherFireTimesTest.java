package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class OtherFireTimesTest {
    /**
     * A count of 1,000 means "1,000 or more". If one fire of a longer range is left out, the count must not become 999,
     * which would be exact.
     */
    @Test
    void countOfMoreThanTheLimitStaysOpen() {
        Instant from = Instant.parse("2026-01-01T00:00:00Z");
        FireTimes all = FireSchedules.of("a", Schedule.cron("* * * * * ?", ZoneId.of("UTC")), from);
        FireTimes others = new OtherFireTimes(all, from.plusSeconds(1_500));
        assertThat(all.count(from, from.plusSeconds(5_000))).isGreaterThanOrEqualTo(FireTimes.COUNT_LIMIT);
        assertThat(others.count(from, from.plusSeconds(5_000))).isGreaterThanOrEqualTo(FireTimes.COUNT_LIMIT);
    }
}
