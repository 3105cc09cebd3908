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
 * The recorded starts of items' code in one or several processes. All contenders share the job body that records them.
 * Not every scheduler passes the fire to its code, so a start is attributed to a fire by its time. A start that is late
 * by a period or more is therefore attributed to a later fire.
 */
record Noted(List<Run> runs) {
    /** Tolerance for early starts, because Quartz fires up to two milliseconds early. */
    private static final long EARLY_MICROS = 5_000;

    /**
     * A start of an item's code.
     *
     * @param micros time of the start, in microseconds since 1970
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

    /** Returns the delay of the first item for each fire of each job, in milliseconds. */
    List<Double> delays(Duration period) {
        return late(bounds(period, Math::min), period);
    }

    private static List<Double> late(Map<Fire, Long> begun, Duration period) {
        long micros = micros(period);
        return begun.entrySet().stream()
                .map(fire -> (fire.getValue() - fire.getKey().number * micros) / 1000.0)
                .toList();
    }

    /** Returns the delay of the last item for each fire of each job, in milliseconds. */
    List<Double> lasts(Duration period) {
        return late(bounds(period, Math::max), period);
    }

    /** Returns the number of fires that began. */
    int fires(Duration period) {
        return bounds(period, Math::min).size();
    }

    /** Returns the items that began. */
    Set<Integer> items() {
        return runs.stream().map(Run::item).collect(Collectors.toSet());
    }

    /** Returns one start for each fire. {@code which} selects it from the starts of the fire's items. */
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
