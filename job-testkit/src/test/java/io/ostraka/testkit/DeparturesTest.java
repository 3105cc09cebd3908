package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of the items of an instance that leaves. */
@ExtendWith(OstrakaExtension.class)
class DeparturesTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** By item. */
    private final Map<Integer, String> owners = new TreeMap<>();

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 4).schedule(Schedule.fixedRate(PERIOD));
    }

    private Map<Integer, String> ran(TestCluster cluster) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        return new TreeMap<>(owners);
    }

    /** Idle items leave at once, what runs may end; and the plan says why. */
    @Test
    void anInstanceThatDrainsGivesIdleItemsUpAtOnceAndGetsNothing(@Instances(2) TestCluster cluster) {
        TestCluster.Instance leaving = cluster.instances().get(1);
        String left = leaving.id();
        List<String> plan = new ArrayList<>();
        cluster.schedule(
                context -> {
                    owners.put(context.shardingItem(), context.instanceId());
                    if (context.instanceId().equals(left)
                            && !context.triggerParameters().isEmpty()) {
                        cluster.time().after(Duration.ofSeconds(1), leaving.engine()::close);
                        cluster.time().after(Duration.ofSeconds(6), () -> {
                            assertThat(cluster.tree().paths()).contains("/instances/" + left);
                            plan.add(new Hand(cluster).text("/jobs/job/sharding"));
                        });
                        cluster.advance(Duration.ofSeconds(10));
                    }
                },
                job().build());
        Map<Integer, String> before = ran(cluster);
        String running = before.entrySet().stream()
                .filter(entry -> entry.getValue().equals(left))
                .map(entry -> entry.getKey().toString())
                .findFirst()
                .orElseThrow();
        cluster.instances().get(0).engine().trigger("job", Map.of("leave", ""), Set.of(running));
        cluster.advance(PERIOD);

        assertThat(plan)
                .singleElement()
                .asString()
                .doesNotContain("\"" + left + "\":")
                .contains("DRAINED " + left);
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(left);
    }

    @Test
    void staticShardingWaitsForTheHostThatIsGone(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> owners.put(context.shardingItem(), context.instanceId()),
                job().staticSharding(true).maxItemsPerInstance(2).build());
        Map<Integer, String> before = ran(cluster);
        TestCluster.Instance leaving = cluster.instances().get(1);
        String left = leaving.id();

        leaving.close();
        cluster.join();
        Map<Integer, String> meanwhile = new TreeMap<>(before);
        meanwhile.values().removeIf(left::equals);
        assertThat(ran(cluster)).isEqualTo(meanwhile).hasSize(2);
        assertThat(cluster.instances()
                        .get(0)
                        .engine()
                        .health()
                        .jobs()
                        .get("job")
                        .reason(JobHealth.Kind.UNPLACED_ITEMS)
                        .orElseThrow()
                        .text())
                .contains("no instance of host 'host-1' may have it now");

        String back = cluster.joinOnHostOf(leaving).id();
        before.replaceAll((item, owner) -> owner.equals(left) ? back : owner);
        assertThat(ran(cluster)).isEqualTo(before);
    }
}
