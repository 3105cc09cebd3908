package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobRun;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.core.coordination.OrdersResult;
import io.ostraka.core.model.Orders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests freezes of a namespace, and drains of instances that an operator requests from outside. */
@ExtendWith(OstrakaExtension.class)
class OrdersTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final String ORDERS = "/orders";
    private static final String NEWER = "{\"format\":5,\"paused\":{}}";

    /** Owners of the runs of each job, in the order of the runs. */
    private final Map<String, List<String>> owners = new TreeMap<>();

    private void schedule(TestCluster cluster, JobConfiguration.Builder job) {
        cluster.schedule(
                context -> owners.computeIfAbsent(context.jobName(), name -> new ArrayList<>())
                        .add(context.instanceId()),
                job.build());
    }

    private static JobConfiguration.Builder job(String name) {
        return JobConfiguration.newBuilder(name, 4)
                .schedule(Schedule.fixedRate(PERIOD))
                .misfire(MisfirePolicy.fireAll(3));
    }

    /** Returns the owners of the runs in two periods. */
    private Set<String> ran(TestCluster cluster) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        Set<String> ran = new TreeSet<>();
        owners.values().forEach(ran::addAll);
        return ran;
    }

    private static JobHealth.Reason reason(TestCluster.Instance instance, Kind kind) {
        return instance.health().jobs().get("job").reason(kind).orElseThrow();
    }

    // ---- freeze

    @Test
    void frozenNamespaceStartsNothingAndCatchesUpAfterwards(@Instances(3) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        assertThat(ran(cluster)).hasSize(3);

        operator.freeze(null);
        schedule(cluster, job("later"));
        JobRun run = cluster.trigger("job", Map.of());
        cluster.join();
        assertThat(ran(cluster)).isEmpty();
        assertThat(run.completion().toCompletableFuture()).isNotDone();
        cluster.instances()
                .forEach(instance -> assertThat(reason(instance, Kind.FROZEN).text())
                        .contains("frozen by ann (database upgrade)", "manual trigger"));

        operator.thaw();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        assertThat(owners.get("job")).hasSize(4 * (1 + 2)); // the trigger, and the fires that the policy keeps
        assertThat(owners.get("later")).isNotEmpty();
        cluster.instances()
                .forEach(instance -> assertThat(instance.health().good()).isTrue());
    }

    @Test
    void runThatFreezeFindsContinuesAndEnds(@Instances(1) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        List<String> ended = new ArrayList<>();
        cluster.schedule(
                context -> {
                    operator.freeze(null);
                    cluster.advance(PERIOD);
                    assertThat(context.isCancelled()).isFalse();
                    ended.add(context.itemKey());
                },
                JobConfiguration.newBuilder("job", 1)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(5));
        assertThat(ended).hasSize(1);
        assertThat(cluster.instances().get(0).health().needsAttention()).isFalse();
    }

    @Test
    void takeoverOfInterruptedFireWaitsForThaw(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        List<Integer> attempts = new ArrayList<>();
        cluster.schedule(
                context -> {
                    attempts.add(context.attempt());
                    if (attempts.size() == 1) {
                        operator.freeze(null);
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                JobConfiguration.newBuilder("job", 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .build());
        cluster.advance(Duration.ofHours(1).plus(Duration.ofMinutes(5)));
        assertThat(attempts).containsExactly(1);

        operator.thaw();
        assertThat(attempts).containsExactly(1, 2);
    }

    @Test
    void leaderEndsFreezeByTheServersClockWhateverTheInstancesClocksSay(@Instances(0) TestCluster cluster) {
        cluster.join(Duration.ofHours(-1));
        cluster.join(Duration.ofSeconds(9));
        cluster.join(Duration.ofHours(3));
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        cluster.advance(PERIOD);

        operator.freeze(Duration.ofMinutes(10));
        cluster.leader().kill(); // the next leader continues the freeze
        owners.clear();
        cluster.advance(Duration.ofMinutes(10).minusSeconds(3));
        assertThat(owners).isEmpty();
        assertThat(reason(cluster.instances().get(2), Kind.FROZEN).text()).contains(" until 2");
        assertThat(new ZkCli(cluster).text(ORDERS)).contains("database upgrade");

        cluster.advance(Duration.ofSeconds(3));
        assertThat(new ZkCli(cluster).text(ORDERS)).doesNotContain("database upgrade");
        assertThat(ran(cluster)).isNotEmpty();
    }

    @Test
    void freezeAndThawCostInstancesOneReadEach(@Instances(3) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        cluster.advance(PERIOD);
        TestCluster.Instance follower = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();
        operator.freeze(null); // creates the node
        operator.thaw();
        long before = follower.store().operations().reads();
        operator.freeze(null);
        operator.thaw();
        assertThat(follower.store().operations().reads() - before).isEqualTo(2);
    }

    @Test
    void changeOfItemCountAndFreezeEndInEitherOrder(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        cluster.advance(PERIOD);
        JobRun run = cluster.trigger("job", Map.of());
        operator.freeze(null);
        JobRun waiting = cluster.trigger("job", Map.of());
        cluster.amend("job", override -> override.withShardingTotalCount(6));
        assertThat(ran(cluster)).isEmpty();
        cluster.amend("job", override -> override.withShardingTotalCount(2));
        assertThat(ran(cluster)).isEmpty();

        operator.thaw();
        assertThat(ran(cluster)).hasSize(2);
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        assertThat(waiting.completion().toCompletableFuture().getNow(Map.of())).hasSize(2);
    }

    // ---- drain

    @ParameterizedTest
    @ValueSource(strings = {"id", "earlier id", "name", "host"})
    void drainedInstanceHasNoItemsUntilTheDrainEnds(String kind) {
        TestCluster cluster = new TestCluster(3, java.time.Instant.parse("2026-01-01T00:00:00Z"), 1);
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        TestCluster.Instance instance = cluster.instances().get(1);
        String earlier = instance.id();
        if (kind.equals("earlier id")) {
            instance.expireSession();
        }
        String named =
                switch (kind) {
                    case "id", "earlier id" -> earlier;
                    case "name" -> earlier.substring(0, earlier.indexOf('@'));
                    default -> "host-1";
                };
        assertThat(ran(cluster)).contains(instance.id());

        operator.drain(named, Duration.ofMinutes(5));
        assertThat(ran(cluster)).hasSize(2).doesNotContain(instance.id());
        assertThat(instance.health().state()).isEqualTo(InstanceState.DRAINING);
        assertThat(reason(instance, Kind.DRAINED).text()).contains("drained by ann (new disk) until ");
        instance.expireSession();
        assertThat(ran(cluster)).hasSize(2).doesNotContain(instance.id());

        cluster.advance(Duration.ofMinutes(5));
        assertThat(ran(cluster)).contains(instance.id());
        assertThat(instance.health().good()).isTrue();
        cluster.close();
    }

    @Test
    void localDrainAndDrainFromOutsideAreIndependent(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        TestCluster.Instance instance = cluster.instances().get(1);
        operator.drain("host-1", null);
        instance.engine().drain(true);
        operator.undrain("host-1");
        assertThat(ran(cluster)).doesNotContain(instance.id());
        assertThat(reason(instance, Kind.DRAINED).text()).contains("by its application");

        operator.drain("host-1", null);
        var undrained = instance.engine().drain(false).toCompletableFuture();
        assertThat(ran(cluster)).doesNotContain(instance.id());
        assertThat(undrained).isCompleted();

        operator.undrain("host-1");
        assertThat(ran(cluster)).contains(instance.id());
    }

    @Test
    void restartedProcessOnDrainedHostComesUpDrained(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        TestCluster.Instance instance = cluster.instances().get(1);
        operator.drain("host-1", null);
        instance.close();
        List<String> written = new ArrayList<>();
        cluster.tree().onCommit(done -> done.operations().stream()
                .map(Object::toString)
                .filter(text -> text.contains("/instances/host-1@") && !text.startsWith("Delete"))
                .forEach(written::add));
        TestCluster.Instance restarted = cluster.joinOnHostOf(instance);

        assertThat(ran(cluster)).doesNotContain(restarted.id());
        assertThat(restarted.health().state()).isEqualTo(InstanceState.DRAINING);
        assertThat(new ZkCli(cluster).text("/instances/" + restarted.id())).contains("\"DRAINING\"");
        assertThat(written).isNotEmpty();

        operator.undrain("host-1");
        assertThat(ran(cluster)).contains(restarted.id());
    }

    @Test
    void drainedLeaderHandsLeadershipToAnInstanceThatWorks(@Instances(3) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster, job("job"));
        TestCluster.Instance first = cluster.leader();
        operator.drain(first.id(), null);
        cluster.advance(Duration.ofSeconds(2));
        TestCluster.Instance second = cluster.leader();
        assertThat(second).isNotSameAs(first);

        // even if all instances are drained, one of them leads; it ends the drains when their time is over
        cluster.instances().forEach(instance -> operator.drain(instance.id(), Duration.ofMinutes(5)));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(ran(cluster)).isEmpty();
        cluster.leader();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(ran(cluster)).hasSize(3);
    }

    // ---- the node

    @Test
    void repeatedRequestHasNoEffectAndOtherChangesAreConflicts(@Instances(1) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        Orders.Freeze freeze = new Orders.Freeze(operator.order("once", null));
        operator.store().loseNextReply();
        assertThat(operator.amend(freeze, "r1", 0L)).isInstanceOf(OrdersResult.Unknown.class);
        OrdersResult repeated = operator.amend(freeze, "r1", 0L);
        assertThat(repeated).isInstanceOf(OrdersResult.Unchanged.class);
        long mzxid = ((OrdersResult.Unchanged) repeated).mzxid();

        operator.thaw();
        assertThat(operator.amend(freeze, "r1", null))
                .isInstanceOfSatisfying(
                        OrdersResult.Unchanged.class,
                        unchanged -> assertThat(unchanged.present().frozen()).isNull());
        assertThat(operator.amend(freeze, "r2", mzxid))
                .isInstanceOfSatisfying(OrdersResult.Conflict.class, conflict -> assertThat(conflict.mzxid())
                        .isGreaterThan(mzxid));
        assertThat(operator.amend(new Orders.Thaw(), "r3", null)).isInstanceOf(OrdersResult.Unchanged.class);
        assertThat(operator.amend(freeze, "r4", null)).isInstanceOf(OrdersResult.Changed.class);
        for (int i = 0; i < 20; i++) {
            operator.drain("host-" + i, null);
        }
        assertThat(operator.answer(operator.membership().orders()).orders().requests())
                .hasSize(16);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"format\":4}", NEWER})
    void lastReadableStateStaysWhileTheNodeIsDamaged(String damage) {
        TestCluster cluster = new TestCluster(3, java.time.Instant.parse("2026-01-01T00:00:00Z"), 1);
        Operator operator = new Operator(cluster);
        ZkCli zkCli = new ZkCli(cluster);
        schedule(cluster, job("job"));
        operator.freeze(null);
        operator.drain("host-1", null);
        zkCli.write(ORDERS, zkCli.text(ORDERS).replace("\"format\":4", "\"format\":4,\"added\":[1]"));
        cluster.advance(Duration.ofSeconds(1));
        TestCluster.Instance instance = cluster.instances().get(0);

        zkCli.write(ORDERS, damage);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(ran(cluster)).isEmpty();
        if (damage.equals(NEWER)) {
            assertThat(instance.health().problem())
                    .contains("/orders can't be read", "last readable state stays in effect");
            assertThatThrownBy(() -> operator.thaw())
                    .hasRootCauseInstanceOf(CoordinationException.class)
                    .hasMessageContaining("upgrade the library");
            instance.expireSession();
            TestCluster.Instance fresh = cluster.join();
            assertThat(ran(cluster)).isEmpty();
            assertThat(fresh.health().problem()).contains("may have frozen the namespace");
            assertThat(fresh.health().state()).isEqualTo(InstanceState.DRAINING);

            zkCli.delete(ORDERS);
            cluster.advance(Duration.ofSeconds(2));
            assertThat(ran(cluster)).hasSize(4);
            assertThat(fresh.health().problem()).isNull();
        } else {
            assertThat(zkCli.text(ORDERS)).contains("database upgrade", "host-1", "\"added\":[1]");
            assertThat(instance.health().problem()).isNull();
            operator.thaw();
            assertThat(ran(cluster)).hasSize(2);
            assertThat(zkCli.text(ORDERS)).contains("\"added\":[1]");
        }
        cluster.close();
    }

    @Test
    void clusterThatStartsUnderDamagedNodeStartsNothing(@Instances(0) TestCluster cluster) {
        ZkCli zkCli = new ZkCli(cluster);
        zkCli.write(ORDERS, "{");
        cluster.join();
        cluster.join();
        schedule(cluster, job("job"));
        cluster.advance(Duration.ofMinutes(5));
        assertThat(ran(cluster)).isEmpty();
        assertThat(zkCli.text(ORDERS)).isEqualTo("{");
        cluster.instances().forEach(instance -> assertThat(instance.health().needsAttention())
                .isTrue());

        zkCli.delete(ORDERS);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(ran(cluster)).hasSize(2);
    }
}
