package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests instances that an operator has disabled for a job. */
@ExtendWith(OstrakaExtension.class)
class DisabledInstancesTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Longer than ZooKeeper takes to expire the session of a silent instance. */
    private static final Duration LONG = Duration.ofSeconds(60);

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

    private static void disable(TestCluster cluster, String... instances) {
        cluster.amend("job", override -> override.withDisabledInstances(Set.of(instances)));
    }

    private static String explained(TestCluster cluster, String item) {
        return cluster.leader().operations().explain("job", item);
    }

    private static JobHealth health(TestCluster cluster) {
        return cluster.leader().engine().health().jobs().get("job");
    }

    private static Optional<Map<String, ItemOutcome>> end(JobRun run) {
        return Optional.ofNullable(run.completion().toCompletableFuture().getNow(null));
    }

    /**
     * The disabled instance finishes its run and is not cancelled. Before this run ends, the instance's idle items run
     * elsewhere.
     */
    @Test
    void idleItemsMoveAtOnceWhileTheRunFinishes(@Instances(2) TestCluster cluster) {
        String disabled = cluster.instances().get(1).id();
        String other = cluster.instances().get(0).id();
        Map<String, String> meanwhile = new HashMap<>();
        cluster.schedule(
                context -> {
                    owners.put(context.itemKey(), context.instanceId());
                    if (context.triggerParameters().isEmpty()) {
                        return;
                    }
                    disable(cluster, "host-1");
                    meanwhile.putAll(ran(cluster));
                    assertThat(context.isCancelled()).isFalse();
                    context.checkOwnership();
                },
                job().build());
        Map<String, String> before = ran(cluster);
        Set<String> itsOwn = new HashSet<>(before.keySet());
        itsOwn.removeIf(item -> before.get(item).equals(other));
        assertThat(itsOwn).hasSize(2);
        String running = itsOwn.iterator().next();
        JobRun run = cluster.instances().get(0).engine().trigger("job", Map.of("disable", ""), Set.of(running));
        cluster.advance(PERIOD);

        assertThat(meanwhile).hasSize(3).doesNotContainKey(running).containsValue(other);
        assertThat(end(run)).contains(Map.of(running, ItemOutcome.SUCCEEDED));
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(disabled);
        before.forEach((item, owner) -> assertThat(explained(cluster, item))
                .endsWith(
                        owner.equals(disabled)
                                ? "it came from " + disabled + ", which was disabled by an operator"
                                : "the job's strategy placed it there and keeps it"));
        assertThat(health(cluster).reason(Kind.DISABLED_INSTANCES).orElseThrow().text())
                .isEqualTo("disabled by an operator: instance host-1");
        assertThat(health(cluster).status()).isEqualTo(Status.LIMITED);

        disable(cluster);
        assertThat(ran(cluster).values()).filteredOn(disabled::equals).hasSize(2);
        assertThat(health(cluster).status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void hostStaysDisabledAcrossRestarts(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        disable(cluster, "host-1");
        TestCluster.Instance first = cluster.instances().get(1);
        first.close();
        String back = cluster.joinOnHostOf(first).id();
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(back);

        List.copyOf(cluster.instances()).forEach(TestCluster.Instance::close);
        String again = cluster.joinOnHostOf(first).id();
        assertThat(ran(cluster)).isEmpty();
        String elsewhere = cluster.join().id();
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(again).containsValue(elsewhere);
    }

    @Test
    void instanceDisabledByIdStaysDisabledUntilItRestarts(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        TestCluster.Instance instance = cluster.instances().get(1);
        disable(cluster, instance.id());
        instance.expireSession();
        cluster.advance(LONG);
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(instance.id());

        instance.close();
        assertThat(ran(cluster)).hasSize(4);
        assertThat(ran(cluster)).hasSize(4);
        assertThat(ran(cluster))
                .doesNotContainValue(cluster.joinOnHostOf(instance).id());
        assertThat(ran(cluster)).containsValue(cluster.instances().get(2).id());
    }

    @Test
    void newLeaderKeepsInstancesDisabled(@Instances(3) TestCluster cluster) {
        run(cluster, job().build());
        TestCluster.Instance disabled = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();
        disable(cluster, disabled.id());
        cluster.leader().kill();
        cluster.advance(LONG);

        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(disabled.id());
        cluster.instances().stream()
                .filter(instance -> instance.alive() && instance != disabled)
                .forEach(TestCluster.Instance::kill);
        cluster.advance(LONG);
        assertThat(cluster.leader()).isSameAs(disabled);
        assertThat(ran(cluster)).isEmpty();
    }

    /** No fire and no trigger is lost, and health and plan report the disabled instances. */
    @Test
    void itemsAndTriggersWaitWhileAllInstancesAreDisabled(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        disable(cluster, "host-0", "host-1");
        cluster.advance(PERIOD);
        assertThat(ran(cluster)).isEmpty();
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(LONG);

        assertThat(end(run)).isEmpty();
        assertThat(health(cluster).reason(Kind.UNPLACED_ITEMS).orElseThrow().text())
                .isEqualTo("on no instance: items 0, 1, 2, 3: every eligible instance is disabled by an operator");
        assertThat(explained(cluster, "3"))
                .isEqualTo("item 3 of job 'job' has no owner: every eligible instance is disabled by an operator");
        disable(cluster, "host-0");
        cluster.advance(PERIOD);
        assertThat(end(run).orElseThrow()).hasSize(4).containsValue(ItemOutcome.SUCCEEDED);
        assertThat(ran(cluster))
                .hasSize(4)
                .doesNotContainValue(cluster.instances().get(0).id());
        assertThat(health(cluster).reason(Kind.UNPLACED_ITEMS)).isEmpty();
    }

    /** An instance is disabled for one job only. */
    @Test
    void otherJobsContinueOnTheDisabledInstance(@Instances(2) TestCluster cluster) {
        run(cluster, job().build());
        List<String> others = new ArrayList<>();
        cluster.schedule(
                context -> others.add(context.instanceId()),
                JobConfiguration.newBuilder("other", 4)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        String disabled = cluster.instances().get(1).id();
        disable(cluster, "host-1");
        others.clear();

        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(disabled);
        assertThat(others).contains(disabled);
    }

    /** The instance finishes the broadcast run that it has begun. Afterwards it takes no part, but keeps its record. */
    @Test
    void disabledInstanceTakesNoPartInLaterBroadcastFires(TestCluster cluster) {
        String disabled = cluster.instances().get(2).id();
        Map<Instant, Set<String>> fires = new TreeMap<>();
        cluster.schedule(
                context -> {
                    fires.computeIfAbsent(context.fireTime(), fire -> new HashSet<>())
                            .add(context.instanceId());
                    if (!context.triggerParameters().isEmpty()
                            && context.instanceId().equals(disabled)) {
                        context.saveCheckpoint(new byte[] {7});
                        disable(cluster, "host-2");
                        cluster.advance(PERIOD.multipliedBy(3));
                        assertThat(context.isCancelled()).isFalse();
                    }
                },
                JobConfiguration.newBuilder("job", 1)
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        JobRun run = cluster.trigger("job", Map.of("disable", ""));
        cluster.advance(PERIOD);
        assertThat(end(run).orElseThrow()).hasSize(3).containsEntry(disabled, ItemOutcome.SUCCEEDED);
        fires.clear();
        JobRun without = cluster.trigger("job", Map.of());
        cluster.advance(LONG);

        assertThat(end(without).orElseThrow()).hasSize(2).doesNotContainKey(disabled);
        assertThat(fires.values()).hasSizeGreaterThan(5).allMatch(ids -> ids.size() == 2 && !ids.contains(disabled));
        assertThat(cluster.tree().paths()).contains("/jobs/job/sharding/" + disabled);
        assertThat(explained(cluster, disabled))
                .endsWith("one item for each instance that takes part, and this one is disabled by an operator");
        Instant back = cluster.now();
        disable(cluster);
        fires.clear();
        cluster.advance(PERIOD.multipliedBy(3));
        assertThat(fires).isNotEmpty().allSatisfy((fire, ids) -> {
            assertThat(fire).as("fires before the release are not due").isAfterOrEqualTo(back);
            assertThat(ids).hasSize(3);
        });
    }

    @Test
    void zoneTakesNoPartWhileAllItsInstancesAreDisabled(@Instances(0) TestCluster cluster) {
        String north = cluster.joinIn("north").id();
        String south = cluster.joinIn("south").id();
        run(
                cluster,
                JobConfiguration.newBuilder("job", 1)
                        .scope(Scope.ONE_PER_ZONE)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        assertThat(ran(cluster)).isEqualTo(Map.of("north", north, "south", south));

        disable(cluster, "host-0");
        JobRun run = cluster.trigger("job", Map.of());
        assertThat(ran(cluster)).isEqualTo(Map.of("south", south));
        assertThat(end(run)).contains(Map.of("south", ItemOutcome.SUCCEEDED));
        disable(cluster, "host-0", "host-1");
        cluster.advance(PERIOD);
        assertThat(ran(cluster)).isEmpty();
        assertThat(health(cluster).reason(Kind.DISABLED_INSTANCES)).isPresent();

        disable(cluster);
        assertThat(ran(cluster)).isEqualTo(Map.of("north", north, "south", south));
    }

    /** No instance may take over the interrupted item of the job that is being removed. */
    @Test
    void jobWithAllInstancesDisabledCanBeRemoved(@Instances(2) TestCluster cluster) {
        String dying = cluster.instances().get(1).id();
        cluster.schedule(
                context -> {
                    if (context.instanceId().equals(dying)
                            && !context.triggerParameters().isEmpty()) {
                        disable(cluster, "host-0", "host-1");
                        cluster.instance(dying).kill();
                    }
                },
                job().build());
        cluster.trigger("job", Map.of("die", ""));
        cluster.advance(LONG);
        assertThat(new ZkCli(cluster).text("/jobs/job/sharding")).contains("disabled by an operator");
        cluster.amend("job", override -> override.withRemoved(true));
        cluster.advance(LONG);

        assertThat(new ZkCli(cluster).text("/jobs/job/sharding"))
                .contains("\"total\":0")
                .doesNotContain("\"change\"");
    }
}
