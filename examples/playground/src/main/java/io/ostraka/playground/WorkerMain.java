package io.ostraka.playground;

import io.ostraka.history.History;
import io.ostraka.lite.JobHandle;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * A worker process of the playground: an instance that hosts the jobs. It prints a line when it has registered the
 * jobs. It ends when its input ends, because the playground has then ended.
 */
public final class WorkerMain {
    /** The line that a worker prints. */
    static final String READY = "ready";

    /**
     * Environment variable with the database's password. It is not an argument, because other users can read a command
     * line.
     */
    static final String PASSWORD = "OSTRAKA_PLAYGROUND_PASSWORD";

    /** Time after which a killed worker counts as dead. */
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(5);

    /** Exit code of a worker that cannot start. A JVM that cannot start has the same exit code. */
    static final int FAILED = 1;

    private static final int ORPHANED = 3;

    private WorkerMain() {}

    /**
     * Runs a worker. The arguments are its name, ZooKeeper's servers, the database's URL, the directory of the spools,
     * and the name of the {@link JobSet}.
     */
    public static void main(String[] arguments) {
        Thread watch = new Thread(WorkerMain::endWithInput, "end-with-the-playground");
        watch.setDaemon(true);
        watch.start();
        try {
            work(
                    arguments[0],
                    arguments[1],
                    database(arguments[2]),
                    Path.of(arguments[3]),
                    JobSet.valueOf(arguments[4]));
        } catch (RuntimeException e) {
            System.err.println("the worker could not start: " + e);
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static JdbcConnectionPool database(String url) {
        return JdbcConnectionPool.create(url, HistoryDatabase.USER, System.getenv(PASSWORD));
    }

    private static void work(String name, String servers, JdbcConnectionPool database, Path spools, JobSet set) {
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(servers, Playground.NAMESPACE)
                .instanceName(name)
                .sessionTimeout(SESSION_TIMEOUT)
                .connectionTimeout(SESSION_TIMEOUT)
                .eventSubscriber(History.newBuilder(database, spools).build())
                .connect();
        List<JobHandle> handles =
                set.jobs().stream().map(each -> each.host(registry)).toList();
        handles.forEach(each -> each.scheduled().toCompletableFuture().join());
        System.out.println(READY);
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) { // the playground sends nothing
            }
        } catch (IOException e) { // the input has ended, too
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
