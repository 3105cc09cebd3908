package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/**
 * An application whose {@code main} throws an exception after it has connected. With a second argument it also
 * registers a job before that.
 */
final class FailingMain {
    /** Exit value of the process if a job ran after {@code main} had ended. */
    static final int RAN = 7;

    private FailingMain() {}

    /** Runs the application. Arguments: the servers of ZooKeeper, and optionally the name of a job. */
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
        throw new IllegalStateException("the database is not available");
    }
}
