package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/** Hosts one plain scheduled job until its standard input ends, and prints a line for each run. */
final class OneFireProgram {
    private OneFireProgram() {}

    public static void main(String[] args) throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(args[0], args[1])) {
            registry.schedule(
                    new Plain(),
                    JobConfiguration.newBuilder("plain", 3)
                            .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                            .build());
            while (System.in.read() >= 0) {
                // the test sends no input
            }
        }
    }

    private static final class Plain implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            System.out.println("ran " + context.shardingItem());
        }
    }
}
