package io.ostraka.faults.kills;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.fixtures.process.ParentCommands;
import io.ostraka.history.History;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/**
 * A worker that is set up as in an application, with a history and one quick job of two items. It prints a line after
 * each run of an item, and shuts down when it receives a line.
 */
final class QuickWorkerProgram {
    static final String JOB = "quick";
    static final String NAMESPACE = "kills";
    /** Short timeout, because each worker waits for the end of its predecessor's session. */
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(2);

    private QuickWorkerProgram() {}

    /**
     * Runs a worker.
     *
     * @param arguments ZooKeeper's servers, the URL of the database, the directory of the spools, and {@code true} if
     *     the items run without a pause instead of every second
     */
    public static void main(String[] arguments) {
        History history = new HistoryAccess(arguments[1], arguments[2]).history();
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(arguments[0], NAMESPACE)
                .sessionTimeout(SESSION_TIMEOUT)
                .eventSubscriber(history)
                .connect();
        Schedule schedule = Boolean.parseBoolean(arguments[3])
                ? Schedule.continuous(Duration.ofSeconds(1))
                : Schedule.fixedRate(Duration.ofSeconds(1));
        SimpleJob quick = context -> System.out.println(context.itemKey());
        new ScheduleJobBootstrap(
                        registry,
                        quick,
                        JobConfiguration.newBuilder(JOB, 2)
                                .schedule(schedule)
                                .history(HistoryLevel.ALL)
                                .maxAttempts(1_000) // each kill may count as an attempt
                                .build())
                .schedule();
        ParentCommands.follow(line -> {
            registry.close();
            history.close();
            Runtime.getRuntime().halt(0);
        });
    }
}
