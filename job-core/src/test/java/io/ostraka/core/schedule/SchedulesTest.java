package io.ostraka.core.schedule;

import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.Exclusions;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.Schedules;
import io.ostraka.api.Scope;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Iterable<CronSample> SAMPLES = CronSample.ALL;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "every day",
                "* * * * *",
                "* * * * * *",
                "* * * * * ? * *",
                "0 0 25 * * ?",
                "60 * * * * ?",
                "0 0 0 ? * 8",
                "0 0 0 ? * MON#6",
                // Quartz parses these but cannot evaluate them
                ", * * * * ?",
                "0 0 0 1 L ?",
                "0 0 0 ? * ,",
                "0 0 9 15W-18 * ?",
                // Quartz would ignore the second value
                "0 0 0 1 1 ? 2024,1950",
                // Quartz would parse this one until the memory is full
                "0 0 0 1 1 ? 1970-999999999"
            })
    void rejectsInvalidCronWithJobFieldAndValue(String expression) {
        Schedule schedule = Schedule.cron(expression);

        assertThatThrownBy(() -> FireSchedules.validate("settle-orders", schedule))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining(
                        "job 'settle-orders': schedule is '" + expression + "'; accepted: a cron expression");
        assertThatThrownBy(() -> FireSchedules.of("settle-orders", schedule, Instant.EPOCH))
                .isInstanceOf(JobConfigurationException.class);
    }

    @Test
    void rejectionContainsReasonOfQuartz() {
        assertThatThrownBy(() -> FireSchedules.validate("settle-orders", Schedule.cron("0 0 25 * * ?")))
                .hasMessageContaining("(Hour values must be between 0 and 23)");
    }

    @Test
    void rejectsEndlessExpression() {
        assertThatThrownBy(() -> FireSchedules.validate("job", Schedule.cron("0 0 0 1 1 ?" + " ".repeat(1_000))))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("at most 1000 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 30 2 ?", "0 0 0 31 4,6,9,11 ?", "0 0 9 31W 2 ?"})
    void rejectsExpressionThatNeverFiresButReadsIt(String expression) {
        Schedule schedule = Schedule.cron(expression);

        assertThatThrownBy(() -> FireSchedules.validate("job", schedule))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("schedule is '" + expression + "'; accepted: a cron expression that fires");
        assertThat(FireSchedules.of("job", schedule, Instant.EPOCH).next(Instant.EPOCH))
                .isEmpty();
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void acceptsOrdinaryExpressions(CronSample sample) {
        assertThatCode(() -> FireSchedules.validate("job", Schedule.cron(sample.expression())))
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsYearInThePast() {
        assertThatCode(() -> FireSchedules.validate("job", Schedule.cron("0 0 0 1 1 ? 2020")))
                .doesNotThrowAnyException();
    }

    @Test
    void rejectsPeriodOfMoreThanCentury() {
        assertThatCode(() -> FireSchedules.validate("job", Schedule.fixedRate(Duration.ofDays(36_500))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Schedule.fixedRate(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fixed rate period is PT2562047788015215H30M7S; accepted: whole milliseconds");
    }

    @Test
    void onDemandNeverFires() {
        FireSchedules.validate("job", Schedule.onDemand());
        FireTimes fireTimes = FireSchedules.of("job", Schedule.onDemand(), Instant.EPOCH);

        assertThat(fireTimes.next(Instant.MIN)).isEmpty();
        assertThat(fireTimes.latest(Instant.MIN, Instant.MAX, 1)).isEmpty();
        assertThat(fireTimes.count(Instant.MIN, Instant.MAX)).isZero();
    }

    static List<Schedule> kinds() {
        return List.of(
                Schedule.cron("0/7 * * * * ?"),
                Schedule.cron("0 30 2 ? * MON-FRI", ZoneId.of("Europe/Berlin")),
                Schedule.cron("0 0 12 * * ?", ZoneId.of("+05:30")),
                Schedule.fixedRate(Duration.ofMillis(12_345)),
                Schedule.fixedDelay(Duration.ofMinutes(1)),
                Schedule.adaptive(Duration.ofMinutes(2), 8),
                Schedule.continuous(Duration.ofMinutes(1)),
                Schedule.once(at(200_000)),
                Schedule.fixedRate(Duration.ofMillis(12_345))
                        .startingAt(at(150_000))
                        .excluding(Exclusions.in(ZoneOffset.UTC).daily(LocalTime.of(5, 0), LocalTime.of(4, 0)))
                        .jitter(Duration.ofSeconds(10)),
                Schedule.onDemand());
    }

    @Test
    void testCoversEveryKindOfSchedule() {
        assertThat(kinds().stream().map(Object::getClass).distinct())
                .hasSameElementsAs(List.of(Schedule.class.getPermittedSubclasses()));
    }

    /** The plan in force decides, regardless of the configured schedule. */
    @ParameterizedTest
    @MethodSource("kinds")
    void scheduleFiresWhileItsPlanIsInForce(Schedule schedule) {
        FireTimes alone = FireSchedules.of("job", schedule, at(100_000));
        Schedule other = every(1_000_000);
        FireTimes wanted = FireSchedules.inForce("job", other, plan(schedule, 100_000, List.of()));
        FireTimes former =
                FireSchedules.inForce("job", other, plan(other, 500_000, List.of(former(schedule, 100_000, 500_000))));

        assertThat(wanted.latest(at(0), at(500_000), 50)).isEqualTo(alone.latest(at(100_000), at(500_000), 50));
        assertThat(former.latest(at(0), at(500_001), 50)).isEqualTo(alone.latest(at(100_000), at(500_000), 50));
        assertThat(former.count(at(0), at(500_001))).isEqualTo(alone.count(at(100_000), at(500_000)));
    }

    @Test
    void successiveSchedulesFireEachInItsOwnTime() {
        FireTimes times = FireSchedules.inForce(
                "job", every(10), plan(every(10), 60, List.of(former(every(100), 40, 60), former(every(7), 20, 40))));

        assertThat(times.latest(at(0), at(80), 9)).containsExactly(at(27), at(34), at(70), at(80));
        assertThat(times.latest(at(0), at(80), 3)).containsExactly(at(34), at(70), at(80));
        assertThat(times.latest(at(27), at(69), 3)).containsExactly(at(34));
        assertThat(times.count(at(0), at(80))).isEqualTo(4);
        assertThat(times.count(at(27), at(70))).isEqualTo(2);
        assertThat(times.next(at(0))).contains(at(27));
        assertThat(times.next(at(34))).contains(at(70));
    }

    @Test
    void damagedFormerScheduleHasNoFires() {
        var former = former(Schedule.cron("x"), 0, 60);
        FireTimes times = FireSchedules.inForce("job", every(10), plan(every(10), 60, List.of(former)));

        assertThat(times.latest(at(0), at(70), 9)).containsExactly(at(70));
    }

    @Test
    void rejectsCronWithAllFiresExcluded() {
        Schedule saturdays = Schedule.cron("0 0 12 ? * SAT", BERLIN);

        assertThatThrownBy(() -> FireSchedules.validate(
                        "job", saturdays.excluding(Exclusions.in(BERLIN).weekdays(SATURDAY, SUNDAY))))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining(
                        "schedule is '0 0 12 ? * SAT'; accepted: a cron expression some of whose fires are not excluded");
        assertThatCode(() -> FireSchedules.validate(
                        "job", saturdays.excluding(Exclusions.in(BERLIN).weekdays(SUNDAY))))
                .doesNotThrowAnyException();
    }

    @Test
    void previewShowsNextFiresOfAnySchedule() {
        Instant now = at(0);
        assertThat(Schedules.nextFires(every(10), now, 3)).containsExactly(at(10), at(20), at(30));
        assertThat(Schedules.nextFires(Schedule.once(at(60)), now, 3)).containsExactly(at(60));
        assertThat(Schedules.nextFires(Schedule.once(at(60)).startingAt(at(60)).endingAt(at(60)), now, 3))
                .containsExactly(at(60));
        assertThat(Schedules.nextFires(Schedule.once(at(60)).startingAt(at(61)), now, 3))
                .isEmpty();
        assertThat(Schedules.nextFires(Schedule.once(at(60)).endingAt(at(59)), now, 3))
                .isEmpty();
        assertThat(Schedules.nextFires(
                        Schedule.once(at(60))
                                .excluding(Exclusions.in(ZoneOffset.UTC).daily(LocalTime.MIN, LocalTime.of(0, 2))),
                        now,
                        3))
                .isEmpty();
        assertThat(Schedules.nextFires(Schedule.onDemand(), now, 3)).isEmpty();
        assertThat(Schedules.nextFires(
                        Schedule.fixedDelay(Duration.ofSeconds(20)).endingAt(at(50)), now, 3))
                .containsExactly(at(20), at(40));
        // the 2nd of January 2026 is a Friday
        assertThat(Schedules.nextFires(
                        Schedule.cron("0 0 9 * * ?")
                                .excluding(Exclusions.in(ZoneOffset.UTC).weekdays(SATURDAY, SUNDAY)),
                        now,
                        3))
                .containsExactly(
                        Instant.parse("2026-01-01T09:00:00Z"),
                        Instant.parse("2026-01-02T09:00:00Z"),
                        Instant.parse("2026-01-05T09:00:00Z"));
        assertThatThrownBy(() -> Schedules.nextFires(Schedule.cron("x"), now, 1))
                .isInstanceOf(JobConfigurationException.class);
    }

    @Test
    void firesFromStartToEndAndFixedRateCountsFromStart() {
        Schedule bounded = every(10).startingAt(at(33)).endingAt(at(63));
        FireTimes times = FireSchedules.of("job", bounded, at(0));

        assertThat(times.latest(at(0), at(1_000), 9)).containsExactly(at(33), at(43), at(53), at(63));
        assertThat(times.next(at(0))).contains(at(33));
        assertThat(times.next(at(63))).isEmpty();
        assertThat(times.count(at(0), at(1_000))).isEqualTo(4);
    }

    @Test
    void rejectsInvalidScheduleUnderAnyPlan() {
        Schedule never = Schedule.cron("0 0 0 30 2 ?");

        assertThatThrownBy(() -> FireSchedules.inForce("job", never, null))
                .isInstanceOf(JobConfigurationException.class);
        assertThatThrownBy(() -> FireSchedules.inForce("job", never, plan(every(10), 0, List.of())))
                .isInstanceOf(JobConfigurationException.class);
    }

    private static Schedule every(int seconds) {
        return Schedule.fixedRate(Duration.ofSeconds(seconds));
    }

    private static ShardingPlan plan(Schedule schedule, int since, List<ShardingPlan.Former> former) {
        return ShardingPlan.of(1, 1, Scope.SHARDED, schedule, at(since), 1)
                .madeFrom(1, 0, 0)
                .scheduled(schedule, at(since), at(since), former);
    }

    private static ShardingPlan.Former former(Schedule schedule, int since, int until) {
        return new ShardingPlan.Former(schedule, at(since), at(since), at(until));
    }

    private static Instant at(int seconds) {
        return Instant.parse("2026-01-01T00:00:00Z").plusSeconds(seconds);
    }

    @Test
    void configurationRejectsScheduleThatNeverFires() {
        JobConfiguration.Builder job = JobConfiguration.newBuilder("settle", 1);
        for (String wrong : List.of("0 0 9 * *", "0 0 9 30 2 ?")) {
            assertThatThrownBy(() -> job.schedule(Schedule.cron(wrong)).build())
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("job 'settle': schedule is '" + wrong + "'; accepted: a cron expression");
        }
    }
}
