package io.ostraka.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.testkit.Instances;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.TestPropertySource;

/** The slice hosts the application's jobs on a cluster in virtual time. */
@OstrakaTest
@TestPropertySource(
        properties = {
            "ostraka.jobs.settle.sharding-total-count=3",
            "ostraka.jobs.countCarts.sharding-total-count=1",
            "ostraka.jobs.of-another-part.paused=true"
        })
class OstrakaSliceTest {
    private static final List<Integer> SETTLED = new ArrayList<>();

    @Autowired
    private Counting counting;

    @TestConfiguration
    static class Doubles {
        @Bean
        Settlement.Orders orders() {
            return SETTLED::add;
        }
    }

    @BeforeEach
    void clear() {
        SETTLED.clear();
        counting.runs.clear();
        counting.instances.clear();
    }

    @Test
    void jobsRunWithTheConfigurationOfTheApplication(TestCluster cluster) {
        cluster.advance(Duration.ofMinutes(1));

        assertThat(SETTLED).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(counting.runs).containsExactlyInAnyOrder("settle/0", "settle/1", "settle/2");
    }

    @Test
    void itemsOfADeadInstancePassToTheSurvivor(@Instances(2) TestCluster cluster) {
        cluster.advance(Duration.ofMinutes(1));
        assertThat(counting.instances).hasSize(2);
        cluster.instances().get(0).kill();
        cluster.advance(Duration.ofMinutes(1));
        counting.instances.clear();
        SETTLED.clear();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(SETTLED).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(counting.instances)
                .containsExactly(cluster.instances().get(1).id());
    }

    @Test
    void eachTestHasAClusterOfItsOwn(@Instances(1) TestCluster cluster) {
        assertThat(cluster.instances()).hasSize(1);
        cluster.trigger("report", Map.of());

        assertThat(SETTLED).containsExactly(-1);
    }

    @Test
    void jobsOfConfigurationClassesAndOfSuperclassesArePartOfTheSlice(@Instances(1) TestCluster cluster) {
        cluster.trigger("expire-carts", Map.of());
        cluster.trigger("countCarts", Map.of());
        cluster.trigger("inherited", Map.of());
        cluster.trigger("archive", Map.of());

        assertThat(SETTLED).containsExactlyInAnyOrder(100, 101, 200, -2, -3, -4);
    }

    @Test
    void historyOfTheApplicationIsNotPartOfTheSlice(
            @Instances(1) TestCluster cluster, @Autowired HistoryBeans.Counter counter) {
        cluster.trigger("report", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(counter.events).hasPositiveValue();
    }
}
