package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a job with a single fire, while its instances change and restart. */
@ExtendWith(OstrakaExtension.class)
class OnceScheduleTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> runs = new ArrayList<>();

    private static JobConfiguration.Builder job(TestCluster cluster) {
        return JobConfiguration.newBuilder("once", 2)
                .schedule(Schedule.once(cluster.now().plus(MINUTE.multipliedBy(3))));
    }

    private void schedule(TestCluster cluster, JobConfiguration job) {
        cluster.schedule(context -> runs.add(context.shardingItem() + "#" + context.attempt()), job);
    }

    @Test
    void firesOnceAcrossOwnerChangesAndRestarts(@Instances(2) TestCluster cluster) {
        schedule(cluster, job(cluster).build());
        cluster.advance(MINUTE);
        cluster.instances().get(0).kill();
        cluster.advance(MINUTE);
        cluster.instances().get(1).close(); // no instance is left
        cluster.join();
        assertThat(runs).isEmpty();
        cluster.advance(MINUTE.multipliedBy(2));
        assertThat(runs).containsExactlyInAnyOrder("0#1", "1#1");

        for (int i = 2; i < 5; i++) {
            cluster.join();
            cluster.advance(MINUTE);
            cluster.instances().get(i).close();
            cluster.advance(MINUTE);
        }
        cluster.instances().get(5).kill();
        cluster.join();
        cluster.advance(Duration.ofHours(6));
        assertThat(runs).hasSize(2);
    }

    @Test
    void firesHoweverLateAnInstanceStarts(@Instances(1) TestCluster cluster) {
        schedule(cluster, job(cluster).misfire(MisfirePolicy.skip()).build());
        cluster.advance(MINUTE);
        cluster.instances().get(0).close();
        cluster.advance(Duration.ofDays(7));
        cluster.join();
        cluster.advance(MINUTE);

        assertThat(runs).containsExactlyInAnyOrder("0#1", "1#1");
    }

    @Test
    void interruptedFireRunsOnceMoreOnASurvivor(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.shardingItem() + "#" + context.attempt());
                    if (context.shardingItem() == 0 && context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job(cluster).build());
        cluster.advance(Duration.ofHours(3));

        assertThat(runs)
                .contains("0#1", "0#2")
                .filteredOn(run -> run.startsWith("0"))
                .hasSize(2);
        assertThat(runs.get(runs.size() - 1)).isIn("0#2", "1#2");
    }
}
