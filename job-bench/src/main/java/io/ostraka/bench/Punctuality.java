package io.ostraka.bench;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * How a scheduler's fires started. Times are in microseconds; a delay is from a fire's instant to its body's first line.
 *
 * @param due fires whose instants lay in the measured time
 * @param run those of them that ran
 * @param twice those of them that ran more than once
 * @param median of the delays
 * @param p95 of the delays, their 95th percentile
 * @param p99 of the delays, their 99th percentile
 * @param longest delay
 * @param cpu time of the whole process in the measured time, for each fire
 */
record Punctuality(long due, long run, long twice, long median, long p95, long p99, long longest, long cpu) {
    String line() {
        return LongStream.of(due, run, twice, median, p95, p99, longest, cpu)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
    }

    static Punctuality parse(String line) {
        long[] values = Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
        return new Punctuality(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
    }

    /** Whether every fire ran, each once. */
    boolean complete() {
        return run == due && twice == 0 && due > 0;
    }
}
