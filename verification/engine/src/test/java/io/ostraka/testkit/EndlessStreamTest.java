package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that the run of a streaming job whose source never runs dry ends after its current batch if something keeps the
 * item's next fire from starting.
 */
@ExtendWith(OstrakaExtension.class)
class EndlessStreamTest {
    private static final String JOB = "stream";
    private static final Duration BATCH = Duration.ofSeconds(2);
    /** Number of batches before the change. */
    private static final int BEFORE = 3;
    /** Number of batches after which the source runs dry, so that a run that ignores the change ends as well. */
    private static final int MOST = 30;

    private final List<String> batches = new ArrayList<>();
    private final List<RunEnded> ends = new ArrayList<>();
    private boolean changed;

    /** Schedules a stream whose third batch requests a change. */
    private void stream(TestCluster cluster, Schedule schedule, Runnable change) {
        cluster.subscribe(event -> {
            if (event instanceof RunEnded ended) {
                ends.add(ended);
            }
        });
        DataflowJob<Integer> job = new DataflowJob<>() {
            @Override
            public List<Integer> fetchData(ShardingContext context) {
                return batches.size() < MOST ? List.of(1) : List.of();
            }

            @Override
            public void processData(ShardingContext context, List<Integer> data) {
                batches.add(context.shardingItem() + " of " + context.shardingTotalCount());
                if (batches.size() == BEFORE && !changed) {
                    changed = true;
                    change.run();
                }
                cluster.advance(BATCH);
            }
        };
        cluster.schedule(
                job,
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(schedule)
                        .streaming(true)
                        .build());
    }

    private void command(TestCluster cluster, Command command) {
        cluster.operations().execute(command, CommandOptions.by("ann"));
    }

    private static String reason(TestCluster cluster, JobHealth.Kind kind) {
        JobHealth health = cluster.instances().get(0).health().jobs().get(JOB);
        return health.reason(kind).map(JobHealth.Reason::text).orElse("");
    }

    /** Runs the stream through a change that keeps the next fire from starting. */
    private void endsAfter(TestCluster cluster, Function<TestCluster, Command> change) {
        stream(cluster, Schedule.fixedRate(Duration.ofSeconds(10)), () -> command(cluster, change.apply(cluster)));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(batches).hasSizeBetween(BEFORE, BEFORE + 1);
        assertThat(ends).singleElement().extracting(RunEnded::outcome).isEqualTo(ItemOutcome.SUCCEEDED);
    }

    @Test
    void endsWhenItsJobIsPaused(@Instances(1) TestCluster cluster) {
        endsAfter(cluster, any -> new Command.Pause(JOB, null));

        cluster.resume(JOB);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(batches).as("continues after the pause").hasSizeGreaterThan(BEFORE + 1);
    }

    @Test
    void endsWhenItsItemIsDisabled(@Instances(1) TestCluster cluster) {
        endsAfter(cluster, any -> new Command.DisableItem(JOB, "0"));
    }

    @Test
    void endsWhenTheNamespaceIsFrozen(@Instances(1) TestCluster cluster) {
        endsAfter(cluster, any -> new Command.Freeze(null));
    }

    @Test
    void endsWhenItsFiresAreSkipped(@Instances(1) TestCluster cluster) {
        endsAfter(cluster, any -> new Command.SkipFires(JOB, cluster.now().plus(Duration.ofHours(1))));
    }

    @Test
    void endsWhenTheOnlyInstanceIsDrained(@Instances(1) TestCluster cluster) {
        endsAfter(
                cluster,
                any -> new Command.DrainInstance(cluster.instances().get(0).id(), null));
    }

    @Test
    void endsWhenItsJobIsRemovedAndHealthFollows(@Instances(1) TestCluster cluster) {
        List<String> reasons = new ArrayList<>();
        stream(cluster, Schedule.fixedRate(Duration.ofSeconds(10)), () -> {
            command(cluster, new Command.Remove(JOB));
            cluster.advance(Duration.ofSeconds(2));
            reasons.add(reason(cluster, JobHealth.Kind.REMOVED));
        });
        cluster.advance(Duration.ofMinutes(2));
        reasons.add(reason(cluster, JobHealth.Kind.REMOVED));

        assertThat(batches).hasSize(BEFORE);
        assertThat(reasons)
                .containsExactly("removed by an operator; a run has not ended yet", "removed by an operator");
        assertThat(cluster.tree().paths()).noneMatch(path -> path.endsWith("/running"));
    }

    @Test
    void endsWhenTheClockIsFarAhead(@Instances(1) TestCluster cluster) {
        stream(cluster, Schedule.fixedRate(Duration.ofSeconds(10)), () -> cluster.instances()
                .get(0)
                .setClock(Duration.ofMinutes(5)));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(batches).hasSizeBetween(BEFORE, BEFORE + 1);
    }

    @Test
    void itemCountChangesBetweenTwoBatches(@Instances(1) TestCluster cluster) {
        stream(
                cluster,
                Schedule.fixedRate(Duration.ofSeconds(10)),
                () -> command(cluster, new Command.SetOverride(JOB, Map.of("shardingTotalCount", 2), null)));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(batches.subList(0, BEFORE + 2)).contains("1 of 2");
    }

    @Test
    void requestsNothingBetweenTwoBatches(@Instances(1) TestCluster cluster) {
        long[] requests = new long[2];
        stream(
                cluster,
                Schedule.fixedRate(Duration.ofSeconds(10)),
                () -> requests[0] =
                        cluster.instances().get(0).store().operations().commits());
        cluster.time()
                .after(
                        BATCH.multipliedBy(12),
                        () -> requests[1] =
                                cluster.instances().get(0).store().operations().commits());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(requests[1]).isEqualTo(requests[0]).isPositive();
    }

    @Test
    void triggeredRunContinuesInAPausedJob(@Instances(1) TestCluster cluster) {
        stream(cluster, Schedule.onDemand(), () -> command(cluster, new Command.Pause(JOB, null)));
        cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(batches).as("a pause does not concern triggers").hasSize(MOST);
    }

    @Test
    void triggeredRunEndsWhenItsItemIsDisabled(@Instances(1) TestCluster cluster) {
        stream(cluster, Schedule.onDemand(), () -> command(cluster, new Command.DisableItem(JOB, "0")));
        cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(batches).hasSizeBetween(BEFORE, BEFORE + 1);
    }
}
