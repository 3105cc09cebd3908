package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.JobHandle;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The program behind {@code bin/bench --register}. On one instance and a real server, it first registers 100 jobs one
 * by one, each as soon as the previous one is scheduled. Then it registers 100 jobs in one batch.
 */
public final class RegisterBench {
    private static final int ROUNDS = 5;
    private static final int JOBS = 100;
    private static final int CHECKED = 5;

    private RegisterBench() {}

    /** Runs the bench. With the argument {@code --check} it runs one round of five jobs. */
    public static void main(String[] arguments) throws IOException {
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        run(check ? 1 : ROUNDS, check ? CHECKED : JOBS);
        System.exit(0);
    }

    private static void run(int rounds, int jobs) throws IOException {
        try (var server = EmbeddedZooKeeper.start(Files.createTempDirectory("register"), 0);
                var registry = ZooKeeperRegistry.connect(server.connectString(), "register")) {
            for (int round = 1; round <= rounds; round++) {
                long begun = System.nanoTime();
                for (int job = 0; job < jobs; job++) {
                    await(schedule(registry, "single-" + round + "-" + job));
                }
                double singly = (System.nanoTime() - begun) / 1e6 / jobs;
                begun = System.nanoTime();
                List<JobHandle> batch = new ArrayList<>();
                for (int job = 0; job < jobs; job++) {
                    batch.add(schedule(registry, "batch-" + round + "-" + job));
                }
                batch.forEach(RegisterBench::await);
                double together = (System.nanoTime() - begun) / 1e6 / jobs;
                System.out.printf(
                        Locale.ROOT,
                        "round %d, %d jobs: one after the other %.1f ms each, in one batch %.1f ms each, ratio %.1f%n",
                        round,
                        jobs,
                        singly,
                        together,
                        singly / together);
            }
        }
    }

    private static JobHandle schedule(ZooKeeperRegistry registry, String name) {
        SimpleJob body = context -> {};
        return registry.schedule(
                body,
                JobConfiguration.newBuilder(name, 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .build());
    }

    private static void await(JobHandle job) {
        job.scheduled().toCompletableFuture().join();
    }
}
