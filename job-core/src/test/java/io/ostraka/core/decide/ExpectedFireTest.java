package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which fire of a job should have begun. All times are minutes after {@link #START}. */
class ExpectedFireTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Schedule HOURLY = Schedule.cron("0 0 * * * ?", ZoneId.of("UTC"));

    private Schedule schedule = HOURLY;
    private JobOverride override = JobOverride.NONE;
    private AlarmPolicy alarms = AlarmPolicy.defaults();
    private Instant changed = START;
    private @Nullable Instant skipTo;
    private boolean frozen;
    private int total = 2;

    private static Instant at(long minutes) {
        return START.plus(Duration.ofMinutes(minutes));
    }

    private ExpectedFire expected(Instant now) {
        ShardingPlan plan = ShardingPlan.of(total, 1, Scope.SHARDED, schedule, START, 1)
                .with(Map.of("owner", ShardingPlan.keys(total)), PlacementReasons.NONE)
                .skippingTo(skipTo);
        JobConfiguration job = JobConfiguration.newBuilder("job", 2)
                .schedule(schedule)
                .alarms(alarms)
                .build();
        JobSnapshot snapshot = new JobSnapshot(
                job, override, plan, 1, FireSchedules.inForce("job", schedule, plan), Duration.ofMinutes(1), false);
        return ExpectedFire.of(new AlarmCauses.Job(snapshot, changed, START, frozen, Map.of()), now);
    }

    private @Nullable Instant after(long minutes) {
        return expected(at(minutes)).at();
    }

    @Test
    void isTheLatestFireWhoseLimitHasPassed() {
        assertThat(after(64)).isNull();
        assertThat(after(65)).isEqualTo(at(60));
        assertThat(after(124)).isEqualTo(at(60));
        assertThat(after(125)).isEqualTo(at(120));
        alarms = AlarmPolicy.defaults().after(AlarmKind.MISSED, Duration.ofMinutes(90));
        assertThat(after(149)).isNull();
        assertThat(after(150)).isEqualTo(at(60));
    }

    /** The leader computes the fire again only at this time. */
    @Test
    void isCorrectUntilTheNextLimit() {
        for (long minute = 0; minute < 300; minute++) {
            ExpectedFire fire = expected(at(minute));
            assertThat(fire.until()).isAfter(at(minute));
            assertThat(expected(fire.until().minusMillis(1)).at()).isEqualTo(fire.at());
            assertThat(expected(fire.until()).at()).isNotEqualTo(fire.at());
        }
    }

    @Test
    void allItemsMayHaveTheirJitter() {
        schedule = HOURLY.jitter(Duration.ofMinutes(20));
        assertThat(after(84)).isNull();
        assertThat(after(85)).isEqualTo(at(60));
    }

    @Test
    void isLaterThanTheLastChange() {
        changed = at(60);
        assertThat(after(100)).isNull();
        assertThat(after(125)).isEqualTo(at(120));
        skipTo = at(180);
        assertThat(after(184)).isNull();
        assertThat(after(185)).isEqualTo(at(180));
    }

    @Test
    void singleFireStaysExpected() {
        schedule = Schedule.once(at(60));
        assertThat(expected(at(10_000))).isEqualTo(new ExpectedFire(at(60), Instant.MAX));
    }

    @Test
    void isAbsentWhileTheJobStartsNoFire() {
        override = JobOverride.NONE.withPaused(true);
        assertThat(expected(at(100))).as("paused").isEqualTo(ExpectedFire.NONE);
        override = JobOverride.NONE.withRemoved(true);
        assertThat(expected(at(100))).as("removed").isEqualTo(ExpectedFire.NONE);
        override = JobOverride.NONE.withDisabledItems(Set.of("0", "1"));
        assertThat(expected(at(100))).as("all items disabled").isEqualTo(ExpectedFire.NONE);
        override = JobOverride.NONE.withDisabledItems(Set.of("0"));
        assertThat(after(100)).as("an item enabled").isEqualTo(at(60));
        frozen = true;
        assertThat(expected(at(100))).as("frozen").isEqualTo(ExpectedFire.NONE);
        frozen = false;
        total = 0;
        assertThat(expected(at(100))).as("removed plan").isEqualTo(ExpectedFire.NONE);
        total = 2;
        alarms = AlarmPolicy.none();
        assertThat(expected(at(100))).as("without the alarm").isEqualTo(ExpectedFire.NONE);
        alarms = AlarmPolicy.defaults();
        for (Schedule each : List.of(
                Schedule.onDemand(),
                Schedule.fixedDelay(Duration.ofMinutes(1)),
                Schedule.continuous(Duration.ofMinutes(1)))) {
            schedule = each;
            assertThat(expected(at(100))).as(each.toString()).isEqualTo(ExpectedFire.NONE);
        }
    }
}
