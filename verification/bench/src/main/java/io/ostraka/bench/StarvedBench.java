package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The program behind {@code bin/bench --starved}. One worker process runs a job with many items. The program limits the
 * worker to a fifth of a processor for some periods, then lifts the limit, and measures the time until each item has run
 * the fire that was the latest one when the limit was lifted, or a later fire. The misfire policy is the default: an
 * item runs the latest of its missed fires.
 */
public final class StarvedBench {
    private static final double SHARE = 0.2;
    private static final int LIMITED_PERIODS = 4;
    /** Largest accepted number of periods from the end of the limit until each item has caught up. */
    private static final int ACCEPTED = 2;
    /** Number of periods after which the program stops waiting. */
    private static final int PATIENCE = 6;

    private final RunningProgram worker;
    private final int items;
    private final long period;
    private Report latest = new Report(0, 0, 0);

    /** @param oldest due time of the latest fire of the item that is furthest behind; 0 if an item has not run */
    private record Report(long at, long runs, long oldest) {}

    private StarvedBench(RunningProgram worker, int items, Duration period) {
        this.worker = worker;
        this.items = items;
        this.period = period.toMillis();
    }

    /** Runs the bench. With the argument {@code --check}, it runs a small job with a short period. */
    public static void main(String[] arguments) throws Exception {
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        int items = check ? 200 : 10_000;
        Duration period = Duration.ofSeconds(check ? 5 : 20);
        Jvm jvm = check ? Jvm.BRIEF : Jvm.MEASURED;
        boolean met;
        try (Server server = new Server(jvm, Files.createTempDirectory("starved"));
                RunningProgram worker = jvm.program(Worker.class)
                        .arguments(server.servers(), items, period.toSeconds())
                        .start()) {
            met = new StarvedBench(worker, items, period).measure();
        }
        System.exit(met ? 0 : 1);
    }

    private boolean measure() throws IOException {
        while (latest.oldest == 0) {
            read();
        }
        readUntil(latestFire() + period);
        long cpu = Race.cpuMillis(worker);
        readUntil(latest.at + 2 * period);
        say("without a limit: %d ms of CPU for each fire of %d items", (Race.cpuMillis(worker) - cpu) / 2, items);

        Report before = latest;
        cpu = Race.cpuMillis(worker);
        try (CpuLimit limit = CpuLimit.of(worker, SHARE)) {
            readUntil(before.at + LIMITED_PERIODS * period);
            say(
                    "with %.1f processors (%s): %d of %d items ran in %d periods of %d s, with %d ms of CPU",
                    SHARE,
                    limit.how(),
                    latest.runs - before.runs,
                    (long) LIMITED_PERIODS * items,
                    LIMITED_PERIODS,
                    period / 1000,
                    Race.cpuMillis(worker) - cpu);
        }
        long lifted = System.currentTimeMillis();
        long missed = latestFire();
        while (latest.oldest < missed && latest.at < lifted + PATIENCE * period) {
            read();
        }
        boolean caughtUp = latest.oldest >= missed;
        double periods = (latest.at - lifted) / (double) period;
        say(
                caughtUp
                        ? "after the limit: each item caught up within %.2f periods (accepted: %d)"
                        : "after the limit: not each item caught up within %.2f periods (accepted: %d)",
                periods,
                ACCEPTED);
        long next = latestFire() + period;
        while (latest.oldest < next && latest.at < next + PATIENCE * period) {
            read();
        }
        say("the next fire: each item had run after %.2f periods", (latest.at - next) / (double) period);
        return caughtUp && periods <= ACCEPTED;
    }

    /** Returns the due time of the latest fire. */
    private long latestFire() {
        long now = System.currentTimeMillis();
        return now - now % period;
    }

    private void readUntil(long at) throws IOException {
        while (latest.at < at) {
            read();
        }
    }

    private void read() throws IOException {
        String[] parts = worker.readUntil(" ").split(" ", -1);
        latest = new Report(System.currentTimeMillis(), Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    private static void say(String text, Object... values) {
        System.out.println(String.format(Locale.ROOT, text, values));
    }

    /** The worker process. It prints the number of runs and the oldest of the items' latest fires, several times a second. */
    static final class Worker {
        private Worker() {}

        /** Runs the worker. The arguments are the ZooKeeper servers, the number of items and the period in seconds. */
        public static void main(String[] arguments) throws Exception {
            PrintStream out = System.out;
            int items = Integer.parseInt(arguments[1]);
            Duration period = Duration.ofSeconds(Long.parseLong(arguments[2]));
            AtomicLongArray fires = new AtomicLongArray(items);
            AtomicLong runs = new AtomicLong();
            SimpleJob body = context -> {
                fires.set(context.shardingItem(), context.fireTime().toEpochMilli());
                runs.incrementAndGet();
            };
            ZooKeeperRegistry registry = ZooKeeperRegistry.connect(arguments[0], "starved");
            registry.schedule(
                    body,
                    JobConfiguration.newBuilder("starved", items)
                            .schedule(Schedule.cron(Stage.cron(period)))
                            .build());
            while (!out.checkError()) {
                long oldest = Long.MAX_VALUE;
                for (int item = 0; item < items; item++) {
                    oldest = Math.min(oldest, fires.get(item));
                }
                out.println(runs.get() + " " + oldest);
                Thread.sleep(200);
            }
        }
    }
}
