package io.ostraka.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program behind {@code bin/bench}: what a fire and a start-up cost, of this library and of others, one after the other
 * on the same server, and once more in the other order. The last line has the figures.
 */
public final class Bench {
    /** Of each period, after which part what is counted is what belongs to the fires before: all their items have ended. */
    private static final double QUIET = 0.9;

    private final Server server;
    private final PrintStream out;
    private int namespaces;

    /**
     * How much is measured.
     *
     * @param jobs that start
     * @param startPeriod seconds between their fires, the first of which is waited for
     * @param items of one job whose fires are counted
     * @param firePeriod seconds between them
     * @param fires how many
     * @param rounds how often all jobs start
     */
    record Size(int jobs, int startPeriod, List<Integer> items, int firePeriod, int fires, int rounds) {
        static final Size QUICK = new Size(1000, 5, List.of(1, 10, 100), 3, 5, 2);
        static final Size CHECK = new Size(50, 5, List.of(10), 2, 3, 1);
    }

    Bench(Server server, PrintStream out) {
        this.server = server;
        this.out = out;
    }

    /** Arguments: {@code --quick} or {@code --check}, and the class path of ElasticJob's process, if it takes part. */
    public static void main(String[] arguments) throws Exception {
        // a process that has been measured is not waited for
        System.setProperty("org.slf4j.simpleLogger.log.org.apache.zookeeper.server", "error");
        boolean check = arguments[0].equals("--check");
        Size size = check ? Size.CHECK : Size.QUICK;
        List<Entrant> entrants = new ArrayList<>(Entrant.builtIn());
        if (arguments.length > 1) {
            entrants.add(1, Entrant.elasticJob(arguments[1]));
        }
        Path directory = Files.createTempDirectory("ostraka-bench");
        List<String> broken;
        try (Server server = new Server(directory)) {
            List<Figures> figures = new Bench(server, System.out).measure(size, entrants);
            new Table(size, figures).print(System.out);
            broken = check ? Promises.broken(figures) : List.of();
        } finally {
            delete(directory);
        }
        broken.forEach(System.err::println);
        System.exit(broken.isEmpty() ? 0 : 1);
    }

    List<Figures> measure(Size size, List<Entrant> entrants) throws IOException, InterruptedException {
        List<Figures> all = entrants.stream().map(Figures::new).toList();
        for (int round = 0; round < size.rounds(); round++) {
            List<Figures> order = new ArrayList<>(all);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (Figures figures : order) {
                Figures.StartUp startUp = startUp(figures.entrant, size);
                figures.startUps.put(round, startUp);
                out.printf(
                        Locale.ROOT,
                        "%-14s %d jobs started in %.1f s, %.1f requests a job, %d threads%n",
                        figures.entrant.name(),
                        size.jobs(),
                        startUp.seconds(),
                        startUp.requestsPerJob(),
                        startUp.threads());
            }
        }
        for (int items : size.items()) {
            for (Figures figures : all) {
                if (!figures.entrant.coordinates()) {
                    figures.requestsPerFire.put(items, 0.0);
                    continue;
                }
                double requests = requestsPerFire(figures.entrant, items, size);
                figures.requestsPerFire.put(items, requests);
                out.printf(
                        Locale.ROOT, "%-14s %d items: %.1f requests a fire%n", figures.entrant.name(), items, requests);
            }
        }
        return all;
    }

    /** From the beginning to the first run of the last job; begins right after a fire time, as for everyone. */
    private Figures.StartUp startUp(Entrant entrant, Size size) throws IOException, InterruptedException {
        String cron = cron(size.startPeriod());
        try (Race race = new Race(entrant, server.servers(), namespace(), size.jobs(), 1, cron)) {
            waitUntil(0.02, size.startPeriod());
            long before = server.requests();
            race.begin();
            double seconds = race.started() / 1000.0;
            long requests = server.requests() - before;
            race.scheduled();
            return new Figures.StartUp((double) requests / size.jobs(), seconds, race.threads());
        }
    }

    private double requestsPerFire(Entrant entrant, int items, Size size) throws IOException, InterruptedException {
        int period = size.firePeriod();
        try (Race race = new Race(entrant, server.servers(), namespace(), 1, items, cron(period))) {
            race.begin();
            race.started();
            waitUntil(QUIET, period);
            Thread.sleep(period * 1000L); // the first fires find some things yet unknown
            long requests = server.requests();
            long runs = race.runs();
            Thread.sleep(size.fires() * period * 1000L);
            requests = server.requests() - requests;
            runs = race.runs() - runs;
            return requests / ((double) runs / items);
        }
    }

    private static String cron(int period) {
        return "0/" + period + " * * * * ?";
    }

    private static void waitUntil(double partOfPeriod, int seconds) throws InterruptedException {
        long period = seconds * 1000L;
        long now = System.currentTimeMillis() % period;
        Thread.sleep(Math.floorMod((long) (partOfPeriod * period) - now, period));
    }

    private String namespace() {
        return "bench-" + ++namespaces;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Collections.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(path);
            }
        }
    }
}
