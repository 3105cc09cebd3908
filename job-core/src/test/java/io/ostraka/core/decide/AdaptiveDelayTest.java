package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Exclusions;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests schedules that count from the end of an item's last run, with every sequence of up to six run ends. */
class AdaptiveDelayTest {
    private static final Instant ZERO = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final Duration RUN = Duration.ofMillis(700);
    private static final int RUNS = 6;

    /** How a run ends. */
    private enum End {
        WORKED(ItemOutcome.SUCCEEDED),
        IDLE(ItemOutcome.SUCCEEDED),
        FAILED(ItemOutcome.FAILED),
        TIMED_OUT(ItemOutcome.TIMED_OUT),
        INTERRUPTED(ItemOutcome.INTERRUPTED);

        final ItemOutcome outcome;

        End(ItemOutcome outcome) {
            this.outcome = outcome;
        }
    }

    @Test
    void fixedDelayIgnoresHowRunsEnd() {
        every(Schedule.fixedDelay(Duration.ofSeconds(10)), ends -> 10_000L);
    }

    @Test
    void adaptiveDelayDoublesPerTimeoutAndResetsOnSuccess() {
        every(Schedule.adaptive(Duration.ofSeconds(10), 5), ends -> {
            int exceeded = 0;
            for (End end : ends) {
                exceeded = end.outcome == ItemOutcome.SUCCEEDED ? 0 : exceeded + (end == End.TIMED_OUT ? 1 : 0);
            }
            return Math.min(10_000L << exceeded, 50_000L);
        });
    }

    @Test
    void continuousJobPausesAfterIdleOrFailedRun() {
        every(
                Schedule.continuous(Duration.ofSeconds(10)),
                ends -> ends.isEmpty() ? 1L : ends.get(ends.size() - 1) == End.WORKED ? 0L : 10_000L);
    }

    /**
     * Checks every sequence of run ends. A decision knows nothing but the record, as if the item had a new owner each
     * time.
     */
    private static void every(Schedule schedule, Function<List<End>, Long> delay) {
        JobSnapshot snapshot = snapshot(schedule, MisfirePolicy.fireOnce());
        follow(snapshot, ItemRecord.fresh(ZERO, 0, 1), ZERO, new ArrayList<>(), delay);
    }

    private static void follow(
            JobSnapshot snapshot, ItemRecord record, Instant last, List<End> ends, Function<List<End>, Long> delay) {
        Instant fire = last.plusMillis(delay.apply(ends));
        assertThat(decide(snapshot, record, fire.minusMillis(1)))
                .as("after %s", ends)
                .isEqualTo(new Due.Nothing(Optional.of(fire)));
        Due.Start start = (Due.Start) decide(snapshot, record, fire);
        assertThat(start.fire()).isEqualTo(Fire.scheduled(fire));
        assertThat(start.skipped()).isEmpty();
        if (ends.size() == RUNS) {
            return;
        }
        Instant endedAt = fire.plus(RUN);
        for (End end : End.values()) {
            ItemRecord ended = claimed(record, start).completed(endedAt, end.outcome, null);
            ends.add(end);
            follow(
                    snapshot,
                    AdaptiveDelay.after(ended, snapshot.plan().schedule(), end == End.IDLE),
                    endedAt,
                    ends,
                    delay);
            ends.remove(ends.size() - 1);
        }
    }

    @Test
    void lateRunOfDelayScheduleCountsAsOnTime() {
        JobSnapshot snapshot = snapshot(Schedule.fixedDelay(Duration.ofSeconds(10)), MisfirePolicy.skip());
        ItemRecord record = ItemRecord.fresh(ZERO, 0, 1);

        Due.Start start = (Due.Start) decide(snapshot, record, ZERO.plus(Duration.ofDays(7)));

        assertThat(start.fire().at()).isEqualTo(ZERO.plusSeconds(10));
        assertThat(start.skipped()).isEmpty();
    }

    @Test
    void grownDelayStaysWithinBoundsOfNewSchedule() {
        Instant ended = ZERO.plusSeconds(100);
        for (int grown : new int[] {1, 20, 1_000}) {
            ItemRecord record = claimed(ItemRecord.fresh(ZERO, 0, 1), (Due.Start) decide(
                            snapshot(Schedule.fixedDelay(Duration.ofSeconds(10)), MisfirePolicy.fireOnce()),
                            ItemRecord.fresh(ZERO, 0, 1),
                            ZERO.plusSeconds(10)))
                    .completed(ended, ItemOutcome.TIMED_OUT, null)
                    .pausing(Duration.ofSeconds(grown));
            JobSnapshot now = snapshot(Schedule.adaptive(Duration.ofSeconds(10), 3), MisfirePolicy.fireOnce());

            assertThat(decide(now, record, ended))
                    .isEqualTo(new Due.Nothing(Optional.of(ended.plusSeconds(Math.max(10, Math.min(grown, 30))))));
        }
    }

    @Test
    void pauseRespectsStartAndExcludedTimes() {
        Schedule schedule = Schedule.fixedDelay(Duration.ofSeconds(10));
        ItemRecord record = ItemRecord.fresh(ZERO, 0, 1);

        Instant start = ZERO.plusSeconds(60);
        assertThat(decide(snapshot(schedule.startingAt(start), MisfirePolicy.fireOnce()), record, ZERO))
                .isEqualTo(new Due.Nothing(Optional.of(start)));
        assertThat(decide(snapshot(schedule.endingAt(ZERO.plusSeconds(9)), MisfirePolicy.fireOnce()), record, start))
                .isEqualTo(new Due.Nothing(Optional.empty()));
        // ZERO is 22:13:20 in UTC
        Exclusions night = Exclusions.in(ZoneOffset.UTC).daily(LocalTime.of(22, 0), LocalTime.of(6, 0));
        assertThat(decide(snapshot(schedule.excluding(night), MisfirePolicy.fireOnce()), record, start))
                .isEqualTo(new Due.Nothing(Optional.of(Instant.parse("2023-11-15T06:00:00Z"))));
    }

    private static ItemRecord claimed(ItemRecord record, Due.Start start) {
        Instant now = start.fire().at();
        Run run = new Run(start.fire(), 1, 1, 0, "host@1@s", "nonce", now, start.busySince(), 1, 0, 0);
        return record.claimed(run, start.cursor(), start.skipped());
    }

    private static Due decide(JobSnapshot snapshot, ItemRecord record, Instant now) {
        return FireDecision.decide(new FireSituation(
                snapshot, "0", record, Interruption.NONE, List.of(), Set.of(), List.of(), now, false));
    }

    private static JobSnapshot snapshot(Schedule schedule, MisfirePolicy misfire) {
        ShardingPlan plan =
                ShardingPlan.of(1, 1, Scope.SHARDED, schedule, ZERO, 1).madeFrom(1, 0, 0);
        JobConfiguration job = JobConfiguration.newBuilder("job", 1)
                .schedule(schedule)
                .misfire(misfire)
                .overlap(OverlapPolicy.skip())
                .build();
        return new JobSnapshot(
                job,
                JobOverride.NONE,
                plan,
                1,
                FireSchedules.inForce("job", schedule, plan),
                Duration.ofSeconds(8),
                false);
    }
}
