package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests triggers that run items of an earlier fire again. The runs get the time of that fire, and only run under its
 * item count.
 */
@ExtendWith(OstrakaExtension.class)
class RerunTest {
    private static final Instant MONDAY = Instant.parse("2025-12-01T02:00:00Z");

    private final List<String> runs = new ArrayList<>();
    private Runnable inFirstRun = () -> {};

    private void schedule(TestCluster cluster, int items) {
        cluster.schedule(
                context -> {
                    runs.add(context.itemKey() + " of " + context.shardingTotalCount() + " for " + context.fireTime()
                            + " after " + context.previousFireTime());
                    Runnable first = inFirstRun;
                    inFirstRun = () -> {};
                    first.run();
                },
                JobConfiguration.newBuilder("job", items).build());
    }

    private static Trigger.Request request(String runId, String... items) {
        return new Trigger.Request("job", runId, Map.of(), Set.of(items));
    }

    private static Trigger.Request again(String runId, int total, String... items) {
        return request(runId, items).at(MONDAY).rerunning("job@2025-12-01T02:00:00Z", total);
    }

    private static JobRun trigger(TestCluster cluster, Trigger.Request request) {
        JobRun run = cluster.instances().get(0).engine().trigger(request);
        cluster.advance(Duration.ofSeconds(2));
        return run;
    }

    @Test
    void chosenItemsRunOnceWithTheOriginalFireTime(TestCluster cluster) {
        schedule(cluster, 3);

        JobRun run = trigger(cluster, again("again", 3, "0", "2"));

        assertThat(runs)
                .containsExactlyInAnyOrder(
                        "0 of 3 for " + MONDAY + " after Optional.empty",
                        "2 of 3 for " + MONDAY + " after Optional.empty");
        assertThat(run.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED, "2", ItemOutcome.SUCCEEDED));
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void takeoverKeepsTheChosenFireTime(TestCluster cluster) {
        schedule(cluster, 1);
        inFirstRun = () -> {
            assertThat(new ZkCli(cluster).text("/jobs/job/sharding/0")).contains("\"fireTime\":\"" + MONDAY + '"');
            cluster.instances().stream()
                    .filter(instance -> new ZkCli(cluster)
                            .text("/jobs/job/sharding/0")
                            .contains("\"owner\":\"" + instance.id() + '"'))
                    .findFirst()
                    .orElseThrow()
                    .kill();
            cluster.advance(Duration.ofMinutes(1));
        };

        cluster.instances().get(0).engine().trigger(again("again", 1));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs).hasSize(2).allMatch(run -> run.startsWith("0 of 1 for " + MONDAY));
    }

    @Test
    void otherItemCountSkipsEveryItem(TestCluster cluster) {
        schedule(cluster, 3);
        List<FiresSkipped> skipped = new ArrayList<>();
        cluster.subscribe(event -> {
            if (event instanceof FiresSkipped fires) {
                skipped.add(fires);
            }
        });

        JobRun run = trigger(cluster, again("again", 4, "0", "2", "3"));

        assertThat(runs).isEmpty();
        assertThat(run.completion().toCompletableFuture())
                .isCompletedWithValue(
                        Map.of("0", ItemOutcome.SKIPPED, "2", ItemOutcome.SKIPPED, "3", ItemOutcome.SKIPPED));
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(skipped)
                .filteredOn(fires -> fires.reason() == SkipReason.ITEM_COUNT_CHANGED)
                .extracting(FiresSkipped::item)
                .containsExactlyInAnyOrder("0", "2");
    }

    @Test
    void triggerCreatedAfterItsTimeLimitRunsNothing(TestCluster cluster) {
        schedule(cluster, 2);

        JobRun late = trigger(cluster, request("late").within(cluster.now().minusSeconds(60)));
        JobRun inTime = trigger(cluster, request("in-time").within(cluster.now().plusSeconds(60)));

        assertThat(late.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SKIPPED, "1", ItemOutcome.SKIPPED));
        assertThat(inTime.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED, "1", ItemOutcome.SUCCEEDED));
        assertThat(runs).hasSize(2);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void laterFiresDoNotContinueFromARepeatedOne(TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(context.fireTime() + " after "
                        + context.previousFireTime().map(Instant::toString).orElse("none")),
                JobConfiguration.newBuilder("job", 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        cluster.advance(Duration.ofSeconds(130));
        int before = runs.size();

        trigger(cluster, again("again", 1));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs.get(before)).isEqualTo(MONDAY + " after none");
        assertThat(runs.get(before + 1)).endsWith("after none");
        assertThat(runs.get(before + 2)).doesNotEndWith("none");
    }

    @Test
    void nodeNamesActorAndReason(TestCluster cluster) {
        schedule(cluster, 1);
        List<String> seen = new ArrayList<>();
        inFirstRun = () -> cluster.tree()
                .children("/triggers")
                .forEach(name -> seen.add(new ZkCli(cluster).text("/triggers/" + name)));

        trigger(cluster, request("run").requestedBy("ann", "the invoices were wrong"));

        assertThat(seen)
                .containsExactly("{\"format\":4,\"job\":\"job\",\"runId\":\"run\",\"parameters\":{},\"items\":[],"
                        + "\"by\":\"ann\",\"reason\":\"the invoices were wrong\",\"total\":0}");
    }
}
