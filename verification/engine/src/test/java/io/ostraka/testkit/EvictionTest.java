package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.coordination.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the eviction of instances whose session is alive although their engine makes no progress. */
@ExtendWith(OstrakaExtension.class)
class EvictionTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final CommandOptions ANN = CommandOptions.by("ann");
    private static final Duration AUDIT = Duration.ofMinutes(3);

    private final List<String> owners = new ArrayList<>();

    private List<String> ran(TestCluster cluster) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        return owners;
    }

    private void schedule(TestCluster cluster) {
        cluster.schedule(
                context -> owners.add(context.instanceId()),
                JobConfiguration.newBuilder("job", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        assertThat(ran(cluster).stream().distinct()).hasSize(2);
    }

    @Test
    void wedgedInstanceLosesItsItemsAndComesBackWhenItsEngineMakesProgress(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster);
        TestCluster.Instance wedged = cluster.leader();
        TestCluster.Instance other = cluster.instances().stream()
                .filter(instance -> instance != wedged)
                .findFirst()
                .orElseThrow();
        String id = wedged.id();
        wedged.setWedged(true);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(ran(cluster)).hasSize(2); // the wedged instance leads: its items do not run, and it plans no move

        assertThat(operator.evict(id)).isInstanceOf(Outcome.Committed.class);
        assertThat(cluster.tree().paths()).doesNotContain("/instances/" + id);
        assertThat(other.health().leading()).isTrue();
        assertThat(wedged.health().live()).isFalse();
        assertThat(ran(cluster)).hasSize(4).doesNotContain(id);
        cluster.advance(AUDIT);
        assertThat(cluster.tree().children("/stops")).isEmpty();
        assertThat(cluster.tree().children("/leader/latch")).hasSize(1);

        wedged.setWedged(false);
        cluster.advance(PERIOD);
        assertThat(wedged.id()).isNotEqualTo(id);
        assertThat(ran(cluster)).hasSize(4).contains(wedged.id());
    }

    @Test
    void evictionDuringADisconnectionTakesEffectAfterIt(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster);
        TestCluster.Instance instance = cluster.instances().get(1);
        String id = instance.id();
        instance.store().suspend();
        assertThat(operator.evict(id)).isInstanceOf(Outcome.Committed.class);
        assertThat(cluster.tree().paths()).contains("/instances/" + id);

        instance.store().reconnect();
        cluster.advance(Duration.ofSeconds(2));
        assertThat(cluster.tree().paths()).doesNotContain("/instances/" + id);
        assertThat(instance.id()).isNotEqualTo(id);
        assertThat(ran(cluster)).hasSize(4).contains(instance.id());
    }

    @Test
    void evictsOnlyRegisteredInstancesAndOnce(@Instances(2) TestCluster cluster) {
        Operator operator = new Operator(cluster);
        schedule(cluster);
        assertThat(operator.evict("host-9@9@9")).isEqualTo(new Outcome.Rejected(0, Outcome.Reason.NO_NODE));
        TestCluster.Instance instance = cluster.instances().get(1);
        String id = instance.id();
        instance.store().suspend();
        operator.evict(id);
        assertThat(operator.evict(id)).isEqualTo(new Outcome.Rejected(1, Outcome.Reason.NODE_EXISTS));
        instance.store().reconnect();
        assertThat(ran(cluster)).isNotEmpty();
    }

    @Test
    void instanceIsEvictedByItsNameIfNoOtherHasTheName(@Instances(2) TestCluster cluster) {
        schedule(cluster);
        Operations operations = cluster.observe();
        TestCluster.Instance instance = cluster.instances().get(1);
        String id = instance.id();
        Command command = new Command.EvictInstance("host-1");

        assertThat(operations.execute(command, ANN.asDryRun()).text()).contains("instance " + id);
        assertThat(operations.execute(command, ANN).text()).isEqualTo("evicts instance " + id);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(instance.id()).isNotEqualTo(id);
        assertThatThrownBy(() -> operations.execute(new Command.EvictInstance(id), ANN))
                .as("the next session of the process is another one")
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll("not registered", instance.id());

        TestCluster.Instance twin = cluster.joinOnHostOf(instance);
        assertThatThrownBy(() -> operations.execute(command, ANN))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll("host-1", instance.id(), twin.id());
        assertThat(cluster.tree().children("/stops")).noneMatch(name -> name.contains(twin.id()));
    }
}
