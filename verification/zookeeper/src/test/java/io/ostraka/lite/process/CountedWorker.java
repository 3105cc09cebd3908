package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.scenario.EndlessBatchDelay;
import io.ostraka.lite.scenario.SingleEngine;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * A worker process whose transactions a test can count. One transaction contains all completions of a batch that was
 * claimed together, and the engine sends no periodic requests. A run takes {@link #RUN_TIME}, and after that it
 * continues as long as a file with the name of its item exists. The process ends as soon as its standard input ends.
 */
final class CountedWorker implements SimpleJob {
    static final String JOB = "counted";
    static final int ITEMS = 30;

    private static final Duration RUN_TIME = Duration.ofMillis(300);

    private final Path gates;

    private CountedWorker(Path gates) {
        this.gates = gates;
    }

    /** Runs the worker. Arguments: the servers, and the directory of the items' files. */
    public static void main(String[] args) throws IOException {
        SingleEngine engine = engine(args[0]);
        Runtime.getRuntime().addShutdownHook(new Thread(engine::close));
        engine.start();
        engine.engine()
                .register(
                        new CountedWorker(Path.of(args[1])),
                        JobConfiguration.newBuilder(JOB, ITEMS)
                                .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                                .overlap(OverlapPolicy.coalesce()) // an item that ends late runs the due fire too
                                .misfire(MisfirePolicy.skip())
                                .build());
        while (System.in.read() >= 0) {
            // the test sends no commands
        }
        Runtime.getRuntime().halt(1);
    }

    /** Returns an engine that acts only on events: its periodic checks are an hour apart. */
    static SingleEngine engine(String servers) {
        ZooKeeperConfig config = new ZooKeeperConfig(
                servers,
                HoldingWorker.NAMESPACE,
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofMillis(200));
        return new SingleEngine(
                new ZooKeeperNodeStore(config), Duration.ZERO, Duration.ofHours(1), new EndlessBatchDelay());
    }

    /** Holds the runs of items, or releases them. */
    static void hold(Path gates, Set<String> items, boolean held) throws IOException {
        for (String item : items) {
            Path gate = gates.resolve(item);
            if (held && !Files.exists(gate)) {
                Files.createFile(gate);
            } else if (!held) {
                Files.deleteIfExists(gate);
            }
        }
    }

    static Set<String> items() {
        Set<String> items = new HashSet<>();
        for (int item = 0; item < ITEMS; item++) {
            items.add(Integer.toString(item));
        }
        return items;
    }

    @Override
    public void execute(ShardingContext context) throws InterruptedException {
        System.out.println(
                Event.of(Event.Kind.STARTED, context, context.instanceId()).line());
        Thread.sleep(RUN_TIME.toMillis());
        Path gate = gates.resolve(context.itemKey());
        if (Files.exists(gate)) {
            System.out.println(Event.of(Event.Kind.HELD, context, "").line());
        }
        while (Files.exists(gate)) {
            Thread.sleep(10);
        }
        System.out.println(Event.of(Event.Kind.ENDED, context, "").line());
    }
}
