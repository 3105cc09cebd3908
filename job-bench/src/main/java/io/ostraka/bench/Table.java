package io.ostraka.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The figures of all entrants, and what the others' are to the first's. */
final class Table {
    private final Bench.Size size;
    private final List<Figures> all;

    Table(Bench.Size size, List<Figures> all) {
        this.size = size;
        this.all = all;
    }

    void print(PrintStream out) {
        out.println();
        out.printf(
                Locale.ROOT,
                "%-26s %s   start-up of %d jobs: requests a job, seconds, threads%n",
                "requests a fire, of items:",
                size.items().stream().map(items -> "%8d".formatted(items)).collect(Collectors.joining()),
                size.jobs());
        all.forEach(figures -> row(out, figures.entrant.name(), values(figures)));
        List<Double> first = values(all.get(0));
        all.stream().skip(1).forEach(figures -> {
            List<Double> values = values(figures);
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                ratios.add(values.get(i) / first.get(i));
            }
            row(out, figures.entrant.name() + " : " + all.get(0).entrant.name(), ratios);
        });
        out.println("figures: "
                + all.stream()
                        .map(figures -> figures.entrant.name() + " "
                                + values(figures).stream()
                                        .map(value -> String.format(Locale.ROOT, "%.1f", value))
                                        .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("; ")));
    }

    private static List<Double> values(Figures figures) {
        List<Double> values = new ArrayList<>(figures.requestsPerFire.values());
        values.addAll(List.of(figures.requestsPerJob(), figures.seconds(), (double) figures.threads()));
        return values;
    }

    private static void row(PrintStream out, String name, List<Double> values) {
        out.printf(
                "%-26s %s%n",
                name,
                values.stream()
                        .map(value -> String.format(Locale.ROOT, "%8.1f", value))
                        .collect(Collectors.joining()));
    }
}
