package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/** An application whose {@code main} throws after it has connected, and perhaps after it has put a job there. */
final class HalfStarted {
    /** What the process ends with if a job was run after {@code main} had ended. */
    static final int RAN = 7;

    private HalfStarted() {}

    /** Arguments: the servers of ZooKeeper, and the name of a job if there is to be one. */
    public static void main(String[] arguments) {
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(arguments[0], "half")
                .failFast(Duration.ofSeconds(60))
                .connect();
        if (arguments.length > 1) {
            Thread main = Thread.currentThread();
            SimpleJob job = context -> {
                main.join();
                Runtime.getRuntime().halt(RAN);
            };
            new OneOffJobBootstrap(
                            registry,
                            job,
                            JobConfiguration.newBuilder(arguments[1], 1).build())
                    .execute();
        }
        throw new IllegalStateException("the database isn't there");
    }
}
