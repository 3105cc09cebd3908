package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.scenario.EndlessMoment;
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
 * A worker process whose transactions can be counted: what ends of a claim leaves together, and nothing is done only
 * because time has passed. A run takes a moment, and then as long as there is a file with its item's name. It ends at once
 * when its standard input does.
 */
final class CountedWorker implements SimpleJob {
    static final String JOB = "counted";
    static final int ITEMS = 30;

    private static final Duration MOMENT = Duration.ofMillis(300);

    private final Path gates;

    private CountedWorker(Path gates) {
        this.gates = gates;
    }

    /** Takes the servers and the directory of the items' files. */
    public static void main(String[] args) throws IOException {
        SingleEngine engine = engine(args[0]);
        Runtime.getRuntime().addShutdownHook(new Thread(engine::close));
        engine.start();
        engine.engine()
                .register(
                        new CountedWorker(Path.of(args[1])),
                        JobConfiguration.newBuilder(JOB, ITEMS)
                                .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                                .overlap(OverlapPolicy.coalesce()) // items whose ends lie around a fire run it together
                                .misfire(MisfirePolicy.skip())
                                .build());
        while (System.in.read() >= 0) {
            // nothing is said to it
        }
        Runtime.getRuntime().halt(1);
    }

    /** An engine that looks after things only when something happens. */
    static SingleEngine engine(String servers) {
        ZooKeeperConfig config = new ZooKeeperConfig(
                servers,
                HoldingWorker.NAMESPACE,
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofMillis(200));
        return new SingleEngine(
                new ZooKeeperNodeStore(config), Duration.ZERO, Duration.ofHours(1), new EndlessMoment());
    }

    /** Holds an item's runs, or lets them go on. */
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
        Thread.sleep(MOMENT.toMillis());
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
