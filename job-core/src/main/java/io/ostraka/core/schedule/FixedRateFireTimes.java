package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** The fire times of a fixed rate: {@code anchor + k × period} for every integer k ≥ 0. */
final class FixedRateFireTimes implements FireTimes {
    private final long anchorMillis;
    private final long periodMillis;

    FixedRateFireTimes(Instant anchor, Duration period) {
        anchorMillis = SupportedYears.millis(anchor);
        periodMillis = period.toMillis();
    }

    @Override
    public Optional<Instant> next(Instant after) {
        Instant next = fire(upTo(after));
        return next.isAfter(SupportedYears.LAST) ? Optional.empty() : Optional.of(next);
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        long end = upTo(upTo);
        long begin = Math.max(upTo(after), end - max);
        return LongStream.range(begin, end).mapToObj(this::fire).toList();
    }

    @Override
    public long shortestGap() {
        return periodMillis;
    }

    @Override
    public long count(Instant after, Instant upTo) {
        return Math.max(0, upTo(upTo) - upTo(after));
    }

    /**
     * Returns the number of fires at or before an instant. This is also the index of the first fire after the instant.
     */
    private long upTo(Instant instant) {
        return Math.max(0, Math.floorDiv(SupportedYears.millis(instant) - anchorMillis, periodMillis) + 1);
    }

    private Instant fire(long number) {
        return Instant.ofEpochMilli(anchorMillis + number * periodMillis);
    }
}
