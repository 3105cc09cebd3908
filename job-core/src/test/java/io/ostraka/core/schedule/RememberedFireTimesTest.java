package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.decide.AlarmCauses;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireDecision;
import io.ostraka.core.decide.FireSituation;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.text.ParseException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RememberedFireTimesTest {
    private static final Instant ZERO = Instant.parse("2026-01-01T00:00:00Z");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final String EVERY_MINUTE = "0 * * * * ?";
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final int ITEMS = 1_000;
    /** Evaluations that a step needs besides those of counting: it finds the latest two fires by binary search. */
    private static final int SEARCH = 100;

    private final AtomicInteger evaluations = new AtomicInteger();

    @Test
    void givesTheSameAnswersInAnyOrderOfQuestions() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        List<Schedule> schedules = new ArrayList<>();
        for (String expression : List.of(
                "* * * * * ?", EVERY_MINUTE, "0 0/7 * * * ?", "* * 2 * * ?", "0 30 2 * * ?", "0 0 9,17 ? * MON-FRI")) {
            Schedule cron = Schedule.cron(expression, BERLIN);
            schedules.add(cron);
            schedules.add(cron.excluding(
                    none -> none.weekdays(DayOfWeek.SUNDAY).daily(LocalTime.of(1, 30), LocalTime.of(4, 0))));
        }
        schedules.add(Schedule.cron("0 0 12 * * ? 2026", BERLIN).endingAt(Instant.parse("2026-10-26T00:00:00Z")));
        for (Schedule schedule : schedules) {
            FireTimes plain = FireSchedules.of("job", schedule, ZERO);
            FireTimes remembering = plain.remembering();
            assertThat(remembering).isNotSameAs(plain);
            Instant around = random.nextBoolean() ? ZERO : Instant.parse("2026-10-25T00:30:00Z");
            for (int i = 0; i < 15; i++) {
                long range = Duration.ofHours(1L << random.nextInt(11)).toMillis();
                Instant after = around.plusMillis(random.nextLong(-range, range));
                Instant upTo = around.plusMillis(random.nextLong(-range, range));
                int max = random.nextInt(1, 5);
                String question = schedule + " in (" + after + ", " + upTo + "], seed " + seed;
                switch (random.nextInt(3)) {
                    case 0 -> assertThat(remembering.next(after)).as(question).isEqualTo(plain.next(after));
                    case 1 ->
                        assertThat(remembering.latest(after, upTo, max))
                                .as("latest %s of %s", max, question)
                                .isEqualTo(plain.latest(after, upTo, max));
                    default ->
                        assertThat(remembering.count(after, upTo))
                                .as("number of %s", question)
                                .isEqualTo(plain.count(after, upTo));
                }
            }
        }
    }

    /** Items are equally far behind, but ended their last runs at different times. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 100, 10_000})
    void stepEvaluatesTheScheduleOnceForAllItems(int behind) throws ParseException {
        for (MisfirePolicy misfire :
                List.of(MisfirePolicy.skip(), MisfirePolicy.fireOnce(), MisfirePolicy.fireAll(20))) {
            int one = step(misfire, List.of(item(0, behind, 0)), behind);
            List<ItemRecord> items = new ArrayList<>();
            for (int i = 0; i < ITEMS; i++) {
                items.add(item(i, behind, 0));
            }
            String step = misfire + ", " + behind + " fires behind";

            assertThat(step(misfire, items, behind)).as(step).isEqualTo(one);
            // a fire needs one evaluation when it is due, and not more if it is missed
            assertThat(one)
                    .as(step)
                    .isLessThanOrEqualTo(3 + Math.min(behind, FireTimes.COUNT_LIMIT) + (behind > 2 ? SEARCH : 0));
        }
    }

    @Test
    void itemsThatAreDifferentlyFarBehindShareTheFires() throws ParseException {
        List<ItemRecord> items = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            items.add(item(i, 100, i % 100));
        }
        assertThat(step(MisfirePolicy.fireAll(20), items, 100)).isLessThanOrEqualTo(3 + 100 + SEARCH);
    }

    @Test
    void itemsWithJitterShareTheFires() throws ParseException {
        Schedule schedule = Schedule.cron(EVERY_MINUTE, ZoneOffset.UTC).jitter(Duration.ofSeconds(50));
        JobSnapshot job = job(MisfirePolicy.fireOnce(), schedule);
        evaluations.set(0);
        JobSnapshot step = job.remembering();
        for (int i = 0; i < ITEMS; i++) {
            decide(step, Integer.toString(i), item(i, 1, 0), ZERO.plus(PERIOD.plusSeconds(20)));
        }
        assertThat(evaluations).hasValueLessThanOrEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 100, 10_000})
    void lookForAlarmsEvaluatesTheScheduleOnceForAllItems(int behind) throws ParseException {
        JobSnapshot job = job(MisfirePolicy.fireOnce(), Schedule.cron(EVERY_MINUTE, ZoneOffset.UTC));
        List<AlarmCauses.Item> items = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            ItemRecord record = item(i, behind, 0);
            items.add(new AlarmCauses.Item(Integer.toString(i), record, Instant.MAX, Interruption.NONE, false));
        }
        evaluations.set(0);
        AlarmCauses.kinds(
                new AlarmCauses.Job(job, Instant.MIN, Instant.MIN, false, Map.of()), items, List.of(), now(behind));
        assertThat(evaluations)
                .hasValueLessThanOrEqualTo(6 + Math.min(behind, FireTimes.COUNT_LIMIT) + (behind > 2 ? SEARCH : 0));
    }

    /** Returns the number of evaluations in a step that decides about these items. */
    private int step(MisfirePolicy misfire, List<ItemRecord> items, int behind) throws ParseException {
        JobSnapshot step =
                job(misfire, Schedule.cron(EVERY_MINUTE, ZoneOffset.UTC)).remembering();
        evaluations.set(0);
        for (ItemRecord item : items) {
            boolean starts = decide(step, "0", item, now(behind)) instanceof Due.Start;
            assertThat(starts).isEqualTo(behind > 0);
        }
        return evaluations.get();
    }

    private static Due decide(JobSnapshot job, String item, ItemRecord record, Instant now) {
        return FireDecision.decide(
                new FireSituation(job, item, record, Interruption.NONE, List.of(), Set.of(), List.of(), now, false));
    }

    private static Instant now(int behind) {
        return ZERO.plus(PERIOD.multipliedBy(behind)).plusSeconds(5);
    }

    /** Returns the record of an item whose last fire is {@code later} periods after {@link #ZERO}. */
    private static ItemRecord item(int number, int behind, int later) {
        Instant fire = ZERO.plus(PERIOD.multipliedBy(later));
        Instant started = fire.plusMillis(number % 700);
        Run run = new Run(Fire.scheduled(fire), ITEMS, 1, 0, "host@1@s", "nonce", started, started, 1, 0, 0);
        return ItemRecord.fresh(fire, 100, 1)
                .claimed(run, fire, List.of())
                .completed(started.plusMillis(number % 900), ItemOutcome.SUCCEEDED, null);
    }

    private JobSnapshot job(MisfirePolicy misfire, Schedule schedule) throws ParseException {
        LocalCron cron = CronParser.parse(EVERY_MINUTE);
        LocalCron counted = time -> {
            evaluations.incrementAndGet();
            return cron.after(time);
        };
        ShardingPlan plan = ShardingPlan.of(ITEMS, 1, Scope.SHARDED, schedule, ZERO, 1)
                .madeFrom(1, 0, 0)
                .scheduled(schedule, ZERO.minusSeconds(1), ZERO, List.of());
        FireTimes times = new SuccessiveFireTimes(List.of(new SuccessiveFireTimes.Span(
                () -> new CronFireTimes(counted, true, ZoneOffset.UTC.getRules()), plan.since(), Instant.MAX)));
        JobConfiguration configuration = JobConfiguration.newBuilder("job", ITEMS)
                .schedule(schedule)
                .misfire(misfire)
                .build();
        return new JobSnapshot(configuration, JobOverride.NONE, plan, 1, times, Duration.ofSeconds(30), false);
    }
}
