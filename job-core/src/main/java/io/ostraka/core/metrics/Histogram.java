package io.ostraka.core.metrics;

import io.ostraka.api.metrics.Distribution;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Counts the durations of the last five minutes in buckets with fixed bounds. Below a millisecond there are eight
 * buckets of 125 µs. Above a millisecond, there are eight buckets for each power of two. Each minute has its own set of
 * buckets, and a new minute replaces the oldest. A minute with at least one duration takes about 300 bytes, and about
 * 70 bytes more for each power of two that its durations fall into. Thread-safe and lock-free.
 */
final class Histogram {
    static final Duration STEP = Duration.ofMinutes(1);
    static final int STEPS = 5;

    private static final long UNIT_NANOS = 125_000;
    /** Longest duration, in units of 125 µs: about a hundred days. Longer durations are counted in the last bucket. */
    private static final long LONGEST_UNITS = (1L << 36) - 1;

    /** Number of buckets for each power of two. */
    private static final int ROW = 8;

    private static final int BUCKETS = bucket(LONGEST_UNITS) + 1;

    private final AtomicReferenceArray<Slot> slots = new AtomicReferenceArray<>(STEPS);

    /** Durations of one minute. Each power of two has a row of buckets, which is created for its first duration. */
    private record Slot(long step, AtomicReferenceArray<AtomicIntegerArray> rows, AtomicLong max) {
        Slot(long step) {
            this(step, new AtomicReferenceArray<>(BUCKETS / ROW), new AtomicLong());
        }

        void count(int bucket) {
            int at = bucket / ROW;
            if (rows.get(at) == null) {
                rows.compareAndSet(at, null, new AtomicIntegerArray(ROW));
            }
            rows.get(at).incrementAndGet(bucket % ROW);
        }

        int counted(int bucket) {
            AtomicIntegerArray row = rows.get(bucket / ROW);
            return row == null ? 0 : row.get(bucket % ROW);
        }
    }

    /**
     * Counts a duration.
     *
     * @param now monotonic time in nanoseconds
     */
    void add(long durationNanos, long now) {
        long nanos = Math.max(0, durationNanos);
        Slot slot = slot(step(now));
        slot.count(bucket(Math.min(nanos / UNIT_NANOS, LONGEST_UNITS)));
        slot.max.accumulateAndGet(nanos, Math::max);
    }

    /**
     * Returns the distribution of the last five minutes.
     *
     * @param now monotonic time in nanoseconds
     */
    Distribution read(long now) {
        long[] counts = new long[BUCKETS];
        long count = 0;
        long max = 0;
        long newest = step(now);
        for (int i = 0; i < STEPS; i++) {
            Slot slot = slots.get(i);
            if (slot != null && newest - slot.step < STEPS) {
                for (int bucket = 0; bucket < BUCKETS; bucket++) {
                    int counted = slot.counted(bucket);
                    counts[bucket] += counted;
                    count += counted;
                }
                max = Math.max(max, slot.max.get());
            }
        }
        return new Distribution(
                count,
                Duration.ofNanos(max),
                Duration.ofNanos(Math.min(max, percentile(counts, count, 95))),
                Duration.ofNanos(Math.min(max, percentile(counts, count, 99))));
    }

    private Slot slot(long step) {
        int place = (int) Math.floorMod(step, STEPS);
        while (true) {
            Slot slot = slots.get(place);
            if (slot != null && slot.step >= step) {
                return slot;
            }
            slots.compareAndSet(place, slot, new Slot(step));
        }
    }

    private static long step(long now) {
        return Math.floorDiv(now, STEP.toNanos());
    }

    private static long percentile(long[] counts, long count, int percent) {
        long rank = (count * percent + 99) / 100;
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= rank && seen > 0) {
                return middleNanos(bucket);
            }
        }
        return 0;
    }

    private static int bucket(long units) {
        if (units < 8) {
            return (int) units;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(units);
        return (exponent - 2) * 8 + (int) ((units >>> (exponent - 3)) & 7);
    }

    private static long middleNanos(int bucket) {
        int shift = Math.max(0, bucket / 8 - 1);
        long low = bucket < 8 ? bucket : (8L + bucket % 8) << shift;
        return low * UNIT_NANOS + (UNIT_NANOS << shift) / 2;
    }
}
