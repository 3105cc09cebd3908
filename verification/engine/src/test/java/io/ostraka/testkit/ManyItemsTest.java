package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.RememberedFireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the work of a step does not grow with the items and the missed fires of its job. */
class ManyItemsTest {
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final int SLOTS = 256;

    private final TestCluster cluster = new TestCluster(0, Instant.parse("2026-01-01T00:00:00Z"), 1);
    private int evaluations;
    private Duration timeOfALook = Duration.ZERO;
    private final List<Instant> looks = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** The fire times of a schedule that counts how often it is evaluated. */
    private final class Counted implements FireTimes {
        private final FireTimes all;

        Counted(FireTimes all) {
            this.all = all;
        }

        @Override
        public Optional<Instant> next(Instant after) {
            evaluated();
            return all.next(after);
        }

        @Override
        public List<Instant> latest(Instant after, Instant upTo, int max) {
            evaluated();
            return all.latest(after, upTo, max);
        }

        @Override
        public long count(Instant after, Instant upTo) {
            evaluated();
            return all.count(after, upTo);
        }

        @Override
        public FireTimes of(ItemRecord record) {
            return this;
        }

        @Override
        public FireTimes remembering() {
            return new RememberedFireTimes(this, true);
        }
    }

    private void evaluated() {
        evaluations++;
        boolean looking = StackWalker.getInstance()
                .walk(frames ->
                        frames.anyMatch(frame -> frame.getClassName().equals("io.ostraka.core.job.AlarmReport")));
        if (looking && !timeOfALook.isZero()) {
            looks.add(cluster.now());
            cluster.time().advance(timeOfALook);
        }
    }

    private JobConfiguration.Builder job(int items) {
        cluster.setSchedules(Counted::new);
        return JobConfiguration.newBuilder("many", items).schedule(Schedule.cron("0 * * * * ?"));
    }

    /**
     * Returns the number of evaluations from the start of an instance until all items have caught up, after a time
     * without an instance.
     */
    private int evaluationsToCatchUp(int items, int missed) {
        try (TestCluster own = new TestCluster(0, Instant.parse("2026-01-01T00:00:10Z"), 1)) {
            int[] runs = new int[items];
            own.setSchedules(Counted::new);
            own.join();
            own.schedule(
                    context -> runs[context.shardingItem()]++,
                    JobConfiguration.newBuilder("many", items)
                            .schedule(Schedule.cron("0 * * * * ?"))
                            .build());
            own.advance(PERIOD);
            own.instances().get(0).kill();
            own.advance(PERIOD.multipliedBy(missed));
            Arrays.fill(runs, 0);
            evaluations = 0;
            own.join();
            own.advance(Duration.ofSeconds(20));
            assertThat(runs).containsOnly(missed == 0 ? 0 : 1);
            return evaluations;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 100, 10_000})
    void catchingUpEvaluatesTheScheduleAsOftenForManyItemsAsForOne(int missed) {
        int forOne = evaluationsToCatchUp(1, missed);
        assertThat(evaluationsToCatchUp(200, missed)).isLessThanOrEqualTo(2 * forOne);
    }

    /** Runs take so long that a fire is never over before the next one is due. */
    @Test
    void eachItemRunsAlthoughTheJobIsAlwaysBehind() {
        assertThatItemsTakeTurns(job(20).concurrency(8), 20, 20);
    }

    @Tag("slow")
    @Test
    void eachItemRunsAlthoughTheProcessHasTooFewSlots() {
        int items = 2 * SLOTS;
        assertThatItemsTakeTurns(job(items), items, 4);
    }

    private void assertThatItemsTakeTurns(JobConfiguration.Builder job, int items, int periods) {
        int[] runs = new int[items];
        TestCluster.Instance instance = cluster.join();
        Duration work = PERIOD.multipliedBy(2).dividedBy(3);
        instance.setThreads(threads -> task -> cluster.time().after(work, () -> threads.execute(task)));
        cluster.schedule(context -> runs[context.shardingItem()]++, job.build());

        cluster.advance(PERIOD.multipliedBy(periods));

        Arrays.sort(runs);
        assertThat(runs[0]).as("runs of the item that ran least").isPositive();
        assertThat(runs[items - 1]).as("runs of the item that ran most").isLessThanOrEqualTo(runs[0] + 2);
    }

    /** The leader and the instance read and write as much for a run as if no other trigger waited. */
    @Test
    void waitingTriggersCostNoReadsAndWrites() {
        assertThat(requestsForEachOf(300)).isLessThanOrEqualTo(requestsForEachOf(3) + 1);
    }

    private double requestsForEachOf(int triggers) {
        try (TestCluster own = new TestCluster(1, Instant.parse("2026-01-01T00:00:10Z"), 1)) {
            List<Integer> runs = new ArrayList<>();
            own.schedule(
                    context -> runs.add(context.shardingItem()),
                    JobConfiguration.newBuilder("triggered", 5).build());
            InMemoryNodeStore.Operations before = own.instances().get(0).store().operations();
            for (int i = 0; i < triggers; i++) {
                own.instances().get(0).engine().trigger("triggered", Map.of(), Set.of());
            }
            own.advance(Duration.ofSeconds(10));
            assertThat(runs).hasSize(5 * triggers);
            InMemoryNodeStore.Operations after = own.instances().get(0).store().operations();
            return (after.commits() - before.commits() + after.reads() - before.reads()) / (double) triggers;
        }
    }

    @Test
    void looksForAlarmsTakeAtMostATenthOfTheTime() {
        JobConfiguration job = job(10).misfire(MisfirePolicy.skip()).build();
        cluster.join();
        cluster.schedule(context -> {}, job);
        cluster.advance(PERIOD);
        timeOfALook = Duration.ofSeconds(2);
        Instant begin = cluster.now();

        cluster.advance(PERIOD.multipliedBy(20));

        Duration spent = timeOfALook.multipliedBy(looks.size());
        assertThat(looks).isNotEmpty();
        assertThat(spent.multipliedBy(9)).isLessThanOrEqualTo(Duration.between(begin, cluster.now()));
    }
}
