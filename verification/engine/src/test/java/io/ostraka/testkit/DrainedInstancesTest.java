package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.core.tree.NodeOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests instances that drain without shutting down, and instances that cancel their drain. */
@ExtendWith(OstrakaExtension.class)
class DrainedInstancesTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);

    /** Owner of the latest run of each item. */
    private final Map<String, String> owners = new TreeMap<>();

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 4).schedule(Schedule.fixedRate(PERIOD));
    }

    private void run(TestCluster cluster, JobConfiguration configuration) {
        cluster.schedule(context -> owners.put(context.itemKey(), context.instanceId()), configuration);
    }

    private Map<String, String> ran(TestCluster cluster) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        return new TreeMap<>(owners);
    }

    private static void drain(TestCluster cluster, TestCluster.Instance instance, boolean drained) {
        CompletionStage<Void> answer = instance.engine().drain(drained);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(answer.toCompletableFuture()).isCompleted();
    }

    @Test
    void releasesIdleItemsAtOnceFinishesRunsAndTakesItemsBack(@Instances(2) TestCluster cluster) {
        TestCluster.Instance drained = cluster.instances().get(1);
        String id = drained.id();
        Map<String, String> meanwhile = new HashMap<>();
        cluster.schedule(
                context -> {
                    owners.put(context.itemKey(), context.instanceId());
                    if (!context.triggerParameters().isEmpty()) {
                        drain(cluster, drained, true);
                        meanwhile.putAll(ran(cluster));
                        assertThat(context.isCancelled()).isFalse();
                    }
                },
                job().build());
        Map<String, String> before = ran(cluster);
        String running = before.keySet().stream()
                .filter(item -> before.get(item).equals(id))
                .findFirst()
                .orElseThrow();
        JobRun run = drained.engine().trigger("job", Map.of("drain", ""), Set.of(running));
        cluster.advance(PERIOD);

        assertThat(meanwhile).hasSize(3).doesNotContainKey(running).doesNotContainValue(id);
        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of(running, ItemOutcome.SUCCEEDED));
        assertThat(drained.engine().health().state()).isEqualTo(InstanceState.DRAINING);
        assertThat(drained.engine().health().good()).isFalse();
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(id);

        owners.clear();
        JobRun here = drained.engine().trigger("job", Map.of(), Set.of());
        cluster.advance(Duration.ofSeconds(2));
        assertThat(here.completion().toCompletableFuture()).isCompleted();
        assertThat(owners).hasSize(4).doesNotContainValue(id);

        drain(cluster, drained, false);
        assertThat(ran(cluster)).hasSize(4).containsValue(id);
        assertThat(drained.engine().health().good()).isTrue();
    }

    @Test
    void drainWritesTheInstanceNodeOnceAndRepeatingItNever(@Instances(1) TestCluster cluster) {
        TestCluster.Instance instance = cluster.instances().get(0);
        run(cluster, job().build());
        cluster.advance(PERIOD);
        List<String> writes = new ArrayList<>();
        cluster.tree().onCommit(done -> done.operations().stream()
                .filter(NodeOp.Set.class::isInstance)
                .map(NodeOp::path)
                .filter(path -> path.startsWith("/instances/"))
                .forEach(writes::add));
        drain(cluster, instance, true);
        drain(cluster, instance, true);
        assertThat(writes).hasSize(1);
        assertThat(new ZkCli(cluster).text("/instances/" + instance.id())).contains("\"DRAINING\"");

        drain(cluster, instance, false);
        drain(cluster, instance, false);
        assertThat(writes).hasSize(2);
        assertThat(new ZkCli(cluster).text("/instances/" + instance.id())).contains("\"WORKING\"");
    }

    @Test
    void drainSurvivesANewSessionAndListenersAreNotified(@Instances(1) TestCluster cluster) {
        List<InstanceState> states = new ArrayList<>();
        run(cluster, job().build());
        TestCluster.Instance drained = cluster.join(new InstanceListener() {
            @Override
            public void stateChanged(InstanceState now) {
                states.add(now);
            }
        });
        drain(cluster, drained, true);
        drained.expireSession();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(drained.id());

        drain(cluster, drained, false);
        assertThat(ran(cluster)).hasSize(4).containsValue(drained.id());
        assertThat(states).containsExactly(InstanceState.WORKING, InstanceState.DRAINING, InstanceState.WORKING);
    }

    @Test
    void drainsThatWereNeverWrittenFailWhenTheInstanceCloses(@Instances(0) TestCluster cluster) {
        TestCluster.Instance instance = cluster.joinCutOff();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (boolean drained : List.of(true, false)) {
            answers.add(instance.engine().drain(drained).toCompletableFuture());
        }
        cluster.advance(Duration.ofSeconds(2));
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        instance.close();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** A drain requested without a connection is written once the connection returns. */
    @Test
    void drainWithoutAConnectionIsWrittenAfterReconnecting(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        TestCluster.Instance drained = cluster.instances().get(1);
        drained.store().suspend();
        cluster.advance(Duration.ofSeconds(1));
        CompletionStage<Void> answer = drained.engine().drain(true);
        cluster.advance(Duration.ofSeconds(1));
        assertThat(answer.toCompletableFuture()).isNotDone();
        drained.store().reconnect();
        cluster.advance(Duration.ofSeconds(2));

        assertThat(answer.toCompletableFuture()).isCompleted();
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(drained.id());
    }

    @Test
    void firesAndTriggersWaitWhileAllInstancesAreDrained(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        cluster.instances().forEach(instance -> drain(cluster, instance, true));
        assertThat(ran(cluster)).isEmpty();
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(PERIOD);
        assertThat(run.completion().toCompletableFuture()).isNotDone();

        drain(cluster, cluster.instances().get(0), false);
        assertThat(ran(cluster))
                .hasSize(4)
                .containsValue(cluster.instances().get(0).id());
        assertThat(run.completion().toCompletableFuture().getNow(Map.of())).hasSize(4);
    }

    /**
     * The engine expects no restart of an instance that only drains. A later shutdown finds no items that wait for
     * it.
     */
    @Test
    void restartGraceKeepsNoItemsForADrainedInstance(@Instances(2) TestCluster cluster) {
        run(cluster, job().restartGrace(Duration.ofMinutes(1)).build());
        TestCluster.Instance drained = cluster.instances().get(1);
        String id = drained.id();
        drain(cluster, drained, true);
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(id);

        drained.close();
        assertThat(drained.engine().health().state()).isEqualTo(InstanceState.STOPPED);
        assertThat(cluster.tree().paths()).doesNotContain("/instances/" + id);
        assertThat(ran(cluster)).hasSize(4);
    }

    @Test
    void itemsOfAllJobsLeaveTheDrainedInstance(@Instances(2) TestCluster cluster) {
        String id = cluster.instances().get(1).id();
        Set<String> ran = new HashSet<>();
        for (String name : List.of("one", "two", "three")) {
            cluster.schedule(
                    context -> ran.add(context.instanceId()),
                    JobConfiguration.newBuilder(name, 2)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build());
        }
        drain(cluster, cluster.instances().get(1), true);
        ran.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        assertThat(ran).containsExactly(cluster.instances().get(0).id()).doesNotContain(id);
    }
}
