package io.ostraka.examples;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.history.Account;
import io.ostraka.history.History;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A job with a history in the application's database. Every fourth run of the job takes so long that the fires after it
 * are skipped. The account then shows the fate of each fire.
 */
public final class HistoryExample {
    private static final CountDownLatch RUNS = new CountDownLatch(8);

    private HistoryExample() {}

    /** Runs the example. Needs no arguments. */
    public static void main(String[] args) throws Exception {
        var database = new JdbcDataSource(); // an application would pass its own pool of connections
        database.setURL("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        SimpleJob count = context -> {
            RUNS.countDown();
            TimeUnit.MILLISECONDS.sleep(RUNS.getCount() % 4 == 0 ? 700 : 10);
        };
        var configuration = JobConfiguration.newBuilder("count-stock", 1)
                .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                .history(HistoryLevel.ALL) // a job that fires so often would otherwise keep only its failures
                .build();
        Instant begin = Instant.now();

        try (var directory = TemporaryDirectory.create();
                var server = ZooKeeperRegistry.embedded(directory.path().resolve("zookeeper"));
                var history = History.newBuilder(database, directory.path().resolve("spool"))
                        .build();
                var registry = ZooKeeperRegistry.newBuilder(server.servers(), "shop")
                        .eventSubscriber(history)
                        .connect();
                var job = registry.schedule(count, configuration)) {
            RUNS.await();
            job.close(); // no further fire starts
            while (history.statistics().waitingBytes() > 0) {
                TimeUnit.MILLISECONDS.sleep(100);
            }

            System.out.println("the latest runs:");
            history.queries()
                    .runs("count-stock", null, 3)
                    .rows()
                    .forEach(run -> System.out.println("  " + run.fireTime() + " " + run.outcomes()));
            System.out.println("the account:");
            Account account = history.accounts(registry.operations()).account("count-stock", begin, Instant.now());
            account.entries()
                    .forEach(entry -> System.out.println("  " + entry.state()
                            + (entry.reason() == null ? "" : " " + entry.reason() + " " + entry.count())
                            + " until " + entry.to()));
            System.out.println("complete: " + account.complete());
        }
    }
}
