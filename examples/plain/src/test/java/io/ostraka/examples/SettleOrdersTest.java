package io.ostraka.examples;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Shows how to test an application's job. The tests run the real engine in three instances in memory, and they advance
 * the time themselves. They need no sleep and no ZooKeeper, and take milliseconds.
 */
@ExtendWith(OstrakaExtension.class)
class SettleOrdersTest {
    private static final JobConfiguration EVERY_MINUTE = JobConfiguration.newBuilder("settle-orders", 4)
            .schedule(Schedule.cron("0 * * * * ?"))
            .build();

    /** Simulates the database, together with {@link #settledBy}: contains the orders that are not settled yet. */
    private final List<Integer> unsettled =
            new ArrayList<>(IntStream.range(0, 40).boxed().toList());

    private final Map<Integer, String> settledBy = new TreeMap<>();

    /** The job under test. */
    private final class SettleOrders implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            for (Integer order : List.copyOf(unsettled)) {
                if (order % context.shardingTotalCount() == context.shardingItem()) {
                    context.checkOwnership();
                    settle(order, context);
                }
            }
        }

        void settle(Integer order, ShardingContext context) {
            assertThat(settledBy.put(order, context.instanceId())).isNull();
            unsettled.remove(order);
        }
    }

    @Test
    void everyOrderIsSettledAndTheWorkIsSharedOut(TestCluster cluster) {
        cluster.schedule(new SettleOrders(), EVERY_MINUTE);
        cluster.advance(Duration.ofMinutes(1));

        assertThat(unsettled).isEmpty();
        Map<String, Long> ordersByInstance = settledBy.values().stream().collect(groupingBy(id -> id, counting()));
        assertThat(ordersByInstance.values()).containsExactlyInAnyOrder(20L, 10L, 10L);
    }

    @Test
    void whatAKilledInstanceLeftIsSettledByTheOthers(TestCluster cluster) {
        List<Integer> attemptsOfItem2 = new ArrayList<>();
        SimpleJob diesInItem2 = context -> {
            if (context.shardingItem() == 2) {
                attemptsOfItem2.add(context.attempt());
                if (context.attempt() == 1) {
                    cluster.instance(context.instanceId()).kill();
                    return; // the killed instance can no longer change the cluster
                }
            }
            new SettleOrders().execute(context);
        };
        cluster.schedule(diesInItem2, EVERY_MINUTE);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(unsettled).contains(2, 6, 10);

        cluster.advance(TestCluster.SESSION_TIMEOUT.plusSeconds(5)); // long before the next fire

        assertThat(unsettled).isEmpty();
        assertThat(attemptsOfItem2).containsExactly(1, 2);
        assertThat(cluster.instance(settledBy.get(2)).alive()).isTrue();
    }
}
