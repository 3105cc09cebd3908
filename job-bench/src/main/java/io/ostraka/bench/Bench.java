package io.ostraka.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The program behind {@code bin/bench}: each scenario of this library and of others, one after the other on the same server,
 * and once more in the other order; then the figures, and which bounds are reached.
 */
public final class Bench {
    /**
     * How much is measured.
     *
     * @param rounds in turned order each
     */
    record Size(int rounds, List<Scenario> scenarios) {
        private static final List<Integer> ITEMS = List.of(1, 10, 100);

        static final Size FULL = new Size(
                2,
                List.of(
                        new Fires(ITEMS, Duration.ofSeconds(2), 5, 20),
                        new StartUp(1000),
                        ManyJobs.ofAll(1000, Duration.ofSeconds(10), 6),
                        new ManyJobs(Set.of(Entrant.OSTRAKA), 10_000, Duration.ofSeconds(60), 3),
                        new BackToBack(ITEMS, Duration.ofSeconds(10), Duration.ofSeconds(10)),
                        new Triggers(50, Duration.ofMillis(100), 200),
                        new Join(10, Duration.ofSeconds(10)),
                        new Join(100, Duration.ofSeconds(10)),
                        new Join(1000, Duration.ofSeconds(60))));

        static final Size QUICK = new Size(
                1,
                List.of(
                        new Fires(ITEMS, Duration.ofSeconds(2), 2, 5),
                        new StartUp(100),
                        ManyJobs.ofAll(100, Duration.ofSeconds(5), 2),
                        new BackToBack(ITEMS, Duration.ofSeconds(2), Duration.ofSeconds(3)),
                        new Triggers(20, Duration.ofMillis(100), 200),
                        new Join(10, Duration.ofSeconds(5)),
                        new Join(100, Duration.ofSeconds(10))));

        static final Size CHECK = new Size(
                1,
                List.of(
                        new Fires(List.of(10), Duration.ofSeconds(3), 0, 2),
                        new StartUp(20),
                        ManyJobs.ofAll(20, Duration.ofSeconds(2), 1),
                        new BackToBack(List.of(10), Duration.ZERO, Duration.ofSeconds(1)),
                        new Triggers(5, Duration.ofMillis(100), 200),
                        new Join(8, Duration.ofSeconds(3))));
    }

    private final List<Entrant> entrants;
    private final String elasticJob;
    private final Results results = new Results();
    private final PrintStream out;
    private volatile boolean failed;

    private Bench(List<Entrant> entrants, String elasticJob, PrintStream out) {
        this.entrants = entrants;
        this.elasticJob = elasticJob;
        this.out = out;
    }

    /**
     * Arguments: {@code --full}, {@code --quick} or {@code --check}; the names of scenarios, with commas, or nothing for all;
     * and the class path of ElasticJob's processes, if it takes part.
     */
    public static void main(String[] arguments) throws Exception {
        boolean check = arguments[0].equals("--check");
        Size size = check ? Size.CHECK : arguments[0].equals("--quick") ? Size.QUICK : Size.FULL;
        List<Scenario> scenarios = chosen(size.scenarios, arguments[1]);
        boolean elasticJob = arguments.length > 2;
        List<Entrant> entrants = Stream.of(Entrant.values())
                .filter(entrant -> elasticJob || !entrant.isElasticJob())
                .toList();
        Bench bench = new Bench(entrants, elasticJob ? arguments[2] : "", System.out);
        bench.conditions(size.rounds);
        if (check) {
            bench.measureTogether(scenarios);
        } else {
            bench.measure(scenarios, size.rounds);
        }
        List<Bound> bounds = scenarios.stream()
                .flatMap(scenario ->
                        (check ? scenario.promises(bench.results) : scenario.bounds(bench.results)).stream())
                .toList();
        new Table(entrants, bench.results).print(System.out);
        Table.printBounds(System.out, bounds);
        boolean broken = bounds.stream()
                .anyMatch(bound -> bound.verdict() == Bound.Verdict.MISSED
                        || elasticJob && bound.verdict() == Bound.Verdict.NOT_MEASURED);
        System.exit(bench.failed || check && broken ? 1 : 0);
    }

    private static List<Scenario> chosen(List<Scenario> all, String names) {
        Set<String> chosen = Set.of(names.split(","));
        List<Scenario> scenarios = all.stream()
                .filter(scenario -> names.isEmpty() || chosen.contains(scenario.name()))
                .toList();
        if (scenarios.isEmpty()) {
            System.err.println("No scenario is called " + names + "; there are "
                    + String.join(
                            ", ", all.stream().map(Scenario::name).distinct().toList()));
            System.exit(2);
        }
        return scenarios;
    }

    private void measure(List<Scenario> scenarios, int rounds) throws IOException {
        try (Stage stage = new Stage(Jvm.MEASURED, elasticJob, out)) {
            for (int round = 0; round < rounds; round++) {
                List<Entrant> order = new ArrayList<>(entrants);
                if (round % 2 == 1) {
                    Collections.reverse(order);
                }
                for (Scenario scenario : scenarios) {
                    out.println();
                    measure(stage, scenario, order);
                }
            }
        }
    }

    /**
     * All scenarios at the same time, each with a server of its own: of use for counts alone. ElasticJob in its fast shape,
     * which is the same program, takes part in one of them.
     */
    private void measureTogether(List<Scenario> scenarios) {
        scenarios.stream()
                .map(scenario -> CompletableFuture.runAsync(
                        () -> {
                            try (Stage stage = new Stage(Jvm.BRIEF, elasticJob, out)) {
                                measure(
                                        stage,
                                        scenario,
                                        entrants.stream()
                                                .filter(entrant -> entrant != Entrant.FAST || scenario instanceof Fires)
                                                .toList());
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        task -> new Thread(task, scenario.name()).start()))
                .toList()
                .forEach(CompletableFuture::join);
    }

    /** Who fails is told of, and has no figures; the others go on. */
    private void measure(Stage stage, Scenario scenario, List<Entrant> order) {
        for (Entrant entrant : order) {
            if (scenario.takes(entrant)) {
                try {
                    scenario.measure(stage, entrant, results);
                } catch (InterruptedException e) {
                    throw new IllegalStateException("nobody interrupts it", e);
                } catch (IOException | IllegalStateException e) {
                    failed = true;
                    stage.say(entrant, "%s: NOT MEASURED: %s", scenario.name(), e);
                }
                stage.clear();
            }
        }
    }

    /** What figures depend on. */
    private void conditions(int rounds) {
        out.printf(
                Locale.ROOT,
                "%s, %d rounds; %d cores, %s %s, Java %s; load average %.1f%n",
                Instant.now(),
                rounds,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.version(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        out.println("every process: -Xmx1g -XX:+UseSerialGC; one server, which syncs each write to disk");
    }
}
