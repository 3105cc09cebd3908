package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/** An application whose only run closes the registry, or ends the process, although its job has a grace of an hour. */
final class ExitingRun {
    /** Exit value that the run passes to {@link System#exit}. */
    static final int EXITED = 7;

    /** What the run does. */
    enum Way {
        /** Calls {@link System#exit}. */
        EXIT,
        /** Calls {@link System#exit} in a child task. */
        EXIT_IN_TASK,
        /** Closes the registry and then calls {@link System#exit}. */
        CLOSE_AND_EXIT,
        /** Closes the registry and returns. The process then ends, because {@code main} has returned. */
        CLOSE
    }

    private ExitingRun() {}

    /** Runs the application. Arguments: the servers of ZooKeeper, and a {@link Way}. */
    public static void main(String[] arguments) {
        ZooKeeperRegistry registry = ZooKeeperRegistry.connect(arguments[0], "half");
        Way way = Way.valueOf(arguments[1]);
        SimpleJob job = context -> {
            if (way == Way.CLOSE || way == Way.CLOSE_AND_EXIT) {
                registry.close();
            }
            if (way == Way.EXIT_IN_TASK) {
                context.tasks().submit(() -> System.exit(EXITED));
            } else if (way != Way.CLOSE) {
                System.exit(EXITED);
            }
        };
        registry.oneOff(
                        job,
                        JobConfiguration.newBuilder("exiting", 1)
                                .shutdownGrace(Duration.ofHours(1))
                                .build())
                .trigger();
    }
}
