package io.ostraka.core.metrics;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.JobMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counters and histograms of one job. Thread-safe. */
final class JobMeter {
    final Histogram waiting = new Histogram();
    final Histogram delay = new Histogram();
    final Histogram running = new Histogram();
    final Counts<ItemOutcome> ended = new Counts<>();
    final LongAdder retries = new LongAdder();
    final LongAdder fenced = new LongAdder();
    final LongAdder misfires = new LongAdder();
    final LongAdder slotWaits = new LongAdder();
    final Counts<SkipReason> skips = new Counts<>();
    final Counts<FailoverReason> failovers = new Counts<>();

    static final class Counts<K> {
        private final Map<K, LongAdder> counts = new ConcurrentHashMap<>();

        void add(K what, long times) {
            counts.computeIfAbsent(what, key -> new LongAdder()).add(times);
        }

        private Map<K, Long> read() {
            return counts.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue()
                    .sum()));
        }
    }

    /**
     * Returns the current metrics.
     *
     * @param now monotonic time in nanoseconds
     */
    JobMetrics read(long now) {
        return new JobMetrics(
                waiting.read(now),
                delay.read(now),
                running.read(now),
                ended.read(),
                retries.sum(),
                fenced.sum(),
                misfires.sum(),
                slotWaits.sum(),
                skips.read(),
                failovers.read());
    }
}
