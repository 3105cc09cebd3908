package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;

/**
 * A job that fires every second, split into three named items. If this program runs in several processes with the same
 * ZooKeeper servers, they share the items.
 */
public final class SimpleJobExample {
    private static final int FIRES = 2;

    private SimpleJobExample() {}

    /** Prints the item. The engine runs this code once per item and fire, and for several items at the same time. */
    private record CountStock(CountDownLatch runs) implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            System.out.printf(
                    "%s: counting the stock of %s (item %d of %d), token %d%n",
                    context.fireTime(),
                    context.shardingItemParameter(),
                    context.shardingItem(),
                    context.shardingTotalCount(),
                    context.fencingToken());
            runs.countDown();
        }
    }

    /** Runs the job for a few fires. */
    public static void main(String[] args) throws Exception {
        var configuration = JobConfiguration.newBuilder("count-stock", 3)
                .schedule(Schedule.cron("* * * * * ?", ZoneId.of("Europe/Berlin")))
                .shardingItemParameters("0=Athens,1=Berlin,2=Cairo")
                .build();
        var job = new CountStock(new CountDownLatch(FIRES * configuration.shardingTotalCount()));

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path())) {
            registry.schedule(job, configuration);
            System.out.println("Registered; a fire comes each second.");
            job.runs().await();
        }
    }
}
