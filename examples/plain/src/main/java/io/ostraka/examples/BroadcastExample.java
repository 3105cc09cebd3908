package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A cache in each instance, and a job that makes every instance refresh its own cache. The caller of the trigger
 * receives the outcomes of all instances.
 */
public final class BroadcastExample {
    private BroadcastExample() {}

    private record Refresh(String instance, Map<String, Integer> prices) implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            prices.put("coffee", Integer.valueOf(context.triggerParameters().getOrDefault("price", "0")));
            System.out.printf(
                    "%s, number %d of %d, has refreshed its prices: %s%n",
                    instance, context.shardingItem(), context.shardingTotalCount(), prices);
        }
    }

    /** Runs the job in two instances. */
    public static void main(String[] args) throws Exception {
        var configuration = JobConfiguration.newBuilder("refresh-prices", 1)
                .scope(Scope.BROADCAST)
                .build();

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path());
                var other = ZooKeeperRegistry.connect(registry.servers(), "ostraka");
                var here = registry.oneOff(new Refresh("one", new ConcurrentHashMap<>()), configuration);
                var there = other.oneOff(new Refresh("the other", new ConcurrentHashMap<>()), configuration)) {
            int price = 40;
            while (here.trigger(Map.of("price", "" + price))
                            .await(Duration.ofSeconds(30))
                            .size()
                    < 2) {
                price++; // the other instance is still joining, so try again
            }
            var outcomes = there.trigger(Map.of("price", "" + ++price)).await(Duration.ofSeconds(30));
            System.out.println("outcomes by instance: " + outcomes);
        }
    }
}
