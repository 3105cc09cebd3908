package io.ostraka.examples;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.Map;

/**
 * A job that runs only when it is triggered, with parameters. A trigger runs every item once, on any instance of the
 * cluster, and the caller receives the outcomes.
 */
public final class OneOffExample {
    private OneOffExample() {}

    private static final class CloseMonth implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            System.out.printf(
                    "closing %s of branch %s%n",
                    context.triggerParameters().get("month"), context.shardingItemParameter());
        }
    }

    /** Runs the job once and waits for its end. */
    public static void main(String[] args) throws Exception {
        var configuration = JobConfiguration.newBuilder("close-month", 3)
                .shardingItemParameters("0=north,1=east,2=south")
                .build();

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path());
                var job = registry.oneOff(new CloseMonth(), configuration)) {
            Map<String, ItemOutcome> outcomes =
                    job.trigger(Map.of("month", "2026-01")).await(Duration.ofSeconds(30));
            System.out.println("outcomes by item: " + outcomes);
        }
    }
}
