package io.ostraka.bench;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.OnceListener;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The program behind {@code bin/bench --largest}. It triggers a job with the largest item count and once-listeners, on
 * two instances and a real server, and waits for the end of the fire.
 */
public final class LargestBench {
    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final int CHECKED = 4_000;
    private static final int CONCURRENT_RUNS = 2_000;

    private LargestBench() {}

    /**
     * Runs the bench. With the argument {@code --check} it uses 4,000 items. With that many items, the engine already
     * stores their progress in the packed format that it uses for 100,000 items.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        System.exit(run(check ? CHECKED : JobConfiguration.MAX_ITEMS) ? 0 : 1);
    }

    private static ZooKeeperRegistry connect(String servers) {
        return ZooKeeperRegistry.newBuilder(servers, "largest")
                .concurrentRuns(CONCURRENT_RUNS, CONCURRENT_RUNS)
                .connect();
    }

    private static boolean run(int items) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("largest");
        AtomicIntegerArray runs = new AtomicIntegerArray(items);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger over = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        OnceListener listener = new OnceListener() {
            @Override
            public void beforeFirst(JobFire fire) {
                begun.incrementAndGet();
            }

            @Override
            public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
                over.incrementAndGet();
                told.set(outcomes.size());
            }
        };
        SimpleJob body = context -> runs.incrementAndGet(context.shardingItem());
        JobConfiguration job = JobConfiguration.newBuilder("largest", items).build();
        List<OneOffJobBootstrap> jobs = new ArrayList<>();
        try (var server = EmbeddedZooKeeper.start(directory, 0);
                var one = connect(server.connectString());
                var other = connect(server.connectString())) {
            for (ZooKeeperRegistry registry : List.of(one, other)) {
                jobs.add(new OneOffJobBootstrap(
                        registry, body, job, JobOptions.none().listeners(listener)));
            }
            long started = System.nanoTime();
            JobRun run = jobs.get(0).execute();
            Map<String, ItemOutcome> outcomes = run.await(LIMIT);
            long took = System.nanoTime() - started;
            long succeeded = outcomes.values().stream()
                    .filter(ItemOutcome.SUCCEEDED::equals)
                    .count();
            int once = 0;
            for (int item = 0; item < items; item++) {
                once += runs.get(item) == 1 ? 1 : 0;
            }
            boolean held =
                    succeeded == items && once == items && begun.get() == 1 && over.get() == 1 && told.get() == items;
            System.out.printf(
                    Locale.ROOT,
                    "a triggered fire of %,d items: %,d ran once, %,d told as succeeded, once-listeners told of the beginning %d"
                            + " and of the end %d times, with %,d outcomes; from call to known end %.1f s: %s%n",
                    items,
                    once,
                    succeeded,
                    begun.get(),
                    over.get(),
                    told.get(),
                    took / 1e9,
                    held ? "held" : "NOT HELD");
            return held;
        }
    }
}
