package io.ostraka.bench;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The punctuality of a scheduler's fires. Times are in microseconds. A delay is the time from the due time of a fire to
 * the first line of its body.
 *
 * @param due number of fires due in the measured time
 * @param run number of due fires that ran
 * @param twice number of due fires that ran more than once
 * @param median median of the delays
 * @param p95 95th percentile of the delays
 * @param p99 99th percentile of the delays
 * @param longest longest delay
 * @param cpu CPU time of the whole process in the measured time, per fire
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

    /** Returns whether every fire ran exactly once. */
    boolean complete() {
        return run == due && twice == 0 && due > 0;
    }
}
