package io.ostraka.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program behind {@code bin/bench}. It measures each scenario with this library and with other schedulers, one
 * after the other on the same server. It repeats the short scenarios in the opposite order, and prints the figures and
 * their bounds.
 */
public final class Bench {
    /**
     * The scenarios of a run and the number of their repetitions.
     *
     * @param rounds number of rounds; each round measures in the opposite order of the previous one
     * @param scenarios scenarios of every round
     * @param once scenarios of the first round only, because they take minutes
     * @param askedFor scenarios that run only on request and only once; they measure this library alone
     */
    record Size(int rounds, List<Scenario> scenarios, List<Scenario> once, List<Scenario> askedFor) {
        private static final List<Integer> ITEMS = List.of(1, 10, 100);
        private static final Set<Entrant> PROMISING_THE_SAME = EnumSet.of(Entrant.OSTRAKA, Entrant.SAFE);
        private static final Set<Entrant> BY_DELAY =
                EnumSet.of(Entrant.OSTRAKA, Entrant.SAFE, Entrant.QUARTZ, Entrant.CURATOR);

        static final Size FULL = new Size(
                2,
                List.of(
                        new StartUp(EnumSet.of(Entrant.OSTRAKA, Entrant.SAFE, Entrant.QUARTZ), 1000),
                        new BackToBack(false, ITEMS, Duration.ofSeconds(8), Duration.ofSeconds(6)),
                        new BackToBack(true, List.of(1), Duration.ofSeconds(8), Duration.ofSeconds(6)),
                        new Triggers(50, Duration.ofMillis(100), 200)),
                List.of(
                        new Fires(BY_DELAY, ITEMS, Duration.ofSeconds(1), List.of(4, 100), 8),
                        new ManyJobs(
                                EnumSet.of(Entrant.OSTRAKA, Entrant.SAFE, Entrant.QUARTZ),
                                1000,
                                Duration.ofSeconds(10),
                                12,
                                4),
                        new ManyJobs(EnumSet.of(Entrant.OSTRAKA), 10_000, Duration.ofSeconds(60), 0, 2),
                        new Join(PROMISING_THE_SAME, 10, Duration.ofSeconds(10)),
                        new Join(PROMISING_THE_SAME, 100, Duration.ofSeconds(10)),
                        new Join(PROMISING_THE_SAME, 1000, Duration.ofSeconds(60))),
                List.of(
                        new Growth(Growth.Kind.JOBS, List.of(10, 100, 1000, 10_000)),
                        new Growth(Growth.Kind.ITEMS, List.of(1, 10, 100, 1000, 10_000)),
                        new Growth(Growth.Kind.INSTANCES, List.of(1, 2, 5, 10, 20, 50)),
                        new Growth(Growth.Kind.PROCESSES, List.of(1, 2, 4, 8)),
                        new SmallHeap(10_000, 256, Duration.ofSeconds(60), 2),
                        new Cycles(20_000, 500)));

        static final Size QUICK = new Size(
                1,
                List.of(
                        new Fires(Entrant.COMPARED, ITEMS, Duration.ofSeconds(2), List.of(2), 5),
                        new StartUp(100),
                        ManyJobs.ofAll(100, Duration.ofSeconds(5), 2),
                        new BackToBack(false, ITEMS, Duration.ofSeconds(2), Duration.ofSeconds(3)),
                        new BackToBack(true, List.of(1), Duration.ofSeconds(2), Duration.ofSeconds(3)),
                        new Triggers(20, Duration.ofMillis(100), 200),
                        new Join(10, Duration.ofSeconds(5)),
                        new Join(100, Duration.ofSeconds(10)),
                        new Growth(Growth.Kind.JOBS, List.of(10, 30, 100)),
                        new Growth(Growth.Kind.ITEMS, List.of(1, 10, 100)),
                        new Growth(Growth.Kind.INSTANCES, List.of(1, 3, 10)),
                        new SmallHeap(1000, 64, Duration.ofSeconds(10), 1),
                        new Cycles(500, 100)),
                List.of(),
                List.of());

        static final Size CHECK = new Size(
                1,
                List.of(
                        new Fires(Entrant.COMPARED, List.of(10), Duration.ofSeconds(3), List.of(1), 2),
                        new StartUp(20),
                        ManyJobs.ofAll(20, Duration.ofSeconds(2), 1),
                        new BackToBack(false, List.of(10), Duration.ZERO, Duration.ofSeconds(1)),
                        new BackToBack(true, List.of(1), Duration.ZERO, Duration.ofSeconds(1)),
                        new Triggers(5, Duration.ofMillis(100), 200),
                        new Join(8, Duration.ofSeconds(3)),
                        new Growth(Growth.Kind.INSTANCES, List.of(1, 2, 4)),
                        new Cycles(50, 25)),
                List.of(),
                List.of());

        static Size of(String argument) {
            return switch (argument) {
                case "--check" -> CHECK;
                case "--quick" -> QUICK;
                default -> FULL;
            };
        }

        /**
         * Returns the scenarios with these names, and their rounds. If the text contains no name, returns all scenarios
         * except those that run only on request.
         */
        Size only(String names) {
            if (names.isEmpty()) {
                return new Size(rounds, scenarios, once, List.of());
            }
            Set<String> chosen = Set.of(names.split(","));
            List<Scenario> asked = of(chosen, once);
            asked.addAll(of(chosen, askedFor));
            Size size = new Size(rounds, of(chosen, scenarios), asked, List.of());
            if (size.scenarios.isEmpty() && asked.isEmpty()) {
                throw new IllegalArgumentException("No scenario is called " + names + "; there are "
                        + Stream.of(scenarios, once, askedFor)
                                .flatMap(List::stream)
                                .map(Scenario::name)
                                .distinct()
                                .collect(Collectors.joining(", ")));
            }
            return size;
        }

        private static List<Scenario> of(Set<String> names, List<Scenario> all) {
            return all.stream()
                    .filter(scenario -> names.contains(scenario.name()))
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }

    private final List<Entrant> entrants;
    private final String elasticJob;
    private final Map<String, Results> results = new ConcurrentHashMap<>();
    private final PrintStream out;
    private volatile boolean failed;

    private Bench(List<Entrant> entrants, String elasticJob, PrintStream out) {
        this.entrants = entrants;
        this.elasticJob = elasticJob;
        this.out = out;
    }

    /**
     * Runs the bench.
     *
     * @param arguments the directory of the reports; {@code --full}, {@code --quick} or {@code --check}; the names of
     *     scenarios, separated by commas, or empty for all; the number of rounds, or empty; the class path of
     *     ElasticJob's processes, if it takes part
     */
    public static void main(String[] arguments) throws Exception {
        Size size = Size.of(arguments[1]);
        boolean full = size == Size.FULL;
        boolean check = size == Size.CHECK;
        Size chosen;
        try {
            chosen = size.only(arguments[2]);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        int rounds = arguments[3].isEmpty() ? chosen.rounds : Integer.parseInt(arguments[3]);
        boolean elasticJob = arguments.length > 4;
        List<Entrant> entrants = Stream.of(Entrant.values())
                .filter(entrant -> elasticJob || !entrant.isElasticJob())
                .toList();
        Bench bench = new Bench(entrants, elasticJob ? arguments[4] : "", System.out);
        String at = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String conditions = conditions(chosen.scenarios.isEmpty() ? 1 : rounds);
        System.out.println(at + ": " + conditions);
        if (check) {
            bench.measureTogether(chosen.scenarios);
        } else {
            bench.measure(chosen, rounds);
        }
        List<Outcome> outcomes = bench.outcomes(chosen, at, conditions, full);
        List<Bound> bounds =
                outcomes.stream().flatMap(outcome -> outcome.bounds().stream()).toList();
        Table.ofAll(outcomes).forEach(Bench::print);
        print(Table.ofBounds(bounds));
        String about = full ? "A full run." : "A small run: only counts are judged. Its times are no verdict.";
        System.out.println();
        System.out.println(about);
        System.out.println("report: "
                + new Outcomes(Path.of(arguments[0], size == Size.FULL ? "full" : arguments[1].substring(2)))
                        .add(outcomes, about));
        boolean broken = bounds.stream()
                .anyMatch(bound -> bound.verdict() == Bound.Verdict.MISSED
                        || bound.verdict() == Bound.Verdict.NOT_MEASURED
                                && (elasticJob || Double.isNaN(bound.value())));
        System.exit(bench.failed || !full && broken ? 1 : 0);
    }

    private static void print(Table table) {
        System.out.println();
        table.markdown().forEach(System.out::println);
    }

    /** Returns one outcome for each title. Only a full run judges times; other runs judge only counts. */
    private List<Outcome> outcomes(Size size, String at, String conditions, boolean full) {
        Map<String, List<Scenario>> titles = Stream.concat(size.scenarios.stream(), size.once.stream())
                .collect(Collectors.groupingBy(Scenario::title, LinkedHashMap::new, Collectors.toList()));
        return titles.entrySet().stream()
                .map(title -> {
                    Results of = results(title.getKey());
                    List<Bound> bounds = title.getValue().stream()
                            .flatMap(scenario -> (full ? scenario.bounds(of) : scenario.promises(of)).stream())
                            .distinct()
                            .toList();
                    return new Outcome(title.getKey(), at, conditions, of, bounds);
                })
                .toList();
    }

    private Results results(String title) {
        return results.computeIfAbsent(title, added -> new Results());
    }

    private void measure(Size size, int rounds) throws IOException {
        try (Stage stage = new Stage(Jvm.MEASURED, elasticJob, out)) {
            for (int round = 0; round < rounds; round++) {
                List<Entrant> order = new ArrayList<>(entrants);
                if (round % 2 == 1) {
                    Collections.reverse(order);
                }
                List<Scenario> scenarios = new ArrayList<>(size.scenarios);
                if (round == 0) {
                    scenarios.addAll(size.once);
                }
                for (Scenario scenario : scenarios) {
                    out.printf("%n%tT %s%n", LocalTime.now(ZoneOffset.UTC), scenario.title());
                    measure(stage, scenario, order);
                }
            }
        }
    }

    /**
     * Measures all scenarios at the same time, each with a server of its own. Only counts are meaningful in such a
     * measurement, not times. The fast variant of ElasticJob takes part in one scenario only, because it is the same
     * program as the safe variant.
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

    /** Measures a scenario with each entrant. If an entrant fails, prints this and continues with the next entrant. */
    private void measure(Stage stage, Scenario scenario, List<Entrant> order) {
        for (Entrant entrant : order) {
            if (scenario.takes(entrant)) {
                try {
                    scenario.measure(stage, entrant, results(scenario.title()));
                    stage.clear();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted while measuring", e);
                } catch (IOException | RuntimeException e) {
                    failed = true;
                    stage.say(entrant, "%s: NOT MEASURED: %s", scenario.title(), e);
                }
            }
        }
    }

    /** Returns a description of the conditions that influence the figures, such as the machine. */
    private static String conditions(int rounds) {
        return String.format(
                Locale.ROOT,
                "%d rounds, one of scenarios that take minutes; %d cores, %s %s, Java %s; load average %.1f before; every process"
                        + " -Xmx1g -XX:+UseSerialGC unless stated otherwise; one server, which syncs each write to disk",
                rounds,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.version(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
