package io.ostraka.bench;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * When items' code began in one or several processes, as the body of all contenders notes it. Which fire it belonged to is
 * told by the clock, since not every scheduler tells its code: what is later than a period counts as a later fire's.
 */
record Noted(List<Run> runs) {
    /** Quartz fires up to two milliseconds before the instant. */
    private static final long EARLY_MICROS = 5_000;

    /**
     * An item's code began.
     *
     * @param micros when, since 1970
     */
    record Run(String job, int item, long micros) {}

    static Noted parse(String text) {
        return new Noted(Stream.of(text.split(" "))
                .filter(run -> !run.isEmpty())
                .map(run -> run.split(":"))
                .map(run -> new Run(run[0], Integer.parseInt(run[1]), Long.parseLong(run[2])))
                .toList());
    }

    static Noted all(Collection<Noted> parts) {
        return new Noted(parts.stream().flatMap(part -> part.runs.stream()).toList());
    }

    /** How late the first item of each fire of each job began, in milliseconds. */
    List<Double> delays(Duration period) {
        return late(bounds(period, Math::min), period);
    }

    private static List<Double> late(Map<Fire, Long> begun, Duration period) {
        long micros = micros(period);
        return begun.entrySet().stream()
                .map(fire -> (fire.getValue() - fire.getKey().number * micros) / 1000.0)
                .toList();
    }

    /** How late the last item of each fire of each job began, in milliseconds. */
    List<Double> lasts(Duration period) {
        return late(bounds(period, Math::max), period);
    }

    /** How many fires began. */
    int fires(Duration period) {
        return bounds(period, Math::min).size();
    }

    /** Which items began. */
    Set<Integer> items() {
        return runs.stream().map(Run::item).collect(Collectors.toSet());
    }

    /** Of each fire the item that counts. */
    private Map<Fire, Long> bounds(Duration period, BinaryOperator<Long> which) {
        long micros = micros(period);
        return runs.stream()
                .collect(Collectors.toMap(
                        run -> new Fire(run.job, Math.floorDiv(run.micros + EARLY_MICROS, micros)),
                        Run::micros,
                        which,
                        TreeMap::new));
    }

    private static long micros(Duration period) {
        return period.toNanos() / 1000;
    }

    private record Fire(String job, long number) implements Comparable<Fire> {
        @Override
        public int compareTo(Fire other) {
            int byNumber = Long.compare(number, other.number);
            return byNumber == 0 ? job.compareTo(other.job) : byNumber;
        }
    }
}
