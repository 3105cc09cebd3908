package io.ostraka.history;

import io.ostraka.history.row.Measurement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up measurements. Those of the same hour and the same run time become one, which changes a roll-up in the same way
 * as all of them. Not thread-safe.
 */
final class Measurements {
    private final Map<Key, Measurement> sums = new LinkedHashMap<>();

    private record Key(String job, Instant hour, String kind, @Nullable Duration ran) {}

    /** Adds a measurement. If it has a run time, it measures one run. */
    void add(Measurement each) {
        Duration ran = each.ran() == null ? null : each.ran().truncatedTo(ChronoUnit.MILLIS); // the precision of a row
        sums.merge(
                new Key(each.job(), each.at().truncatedTo(ChronoUnit.HOURS), each.kind(), ran),
                new Measurement(each.job(), each.at(), each.kind(), each.count(), ran),
                Measurements::sum);
    }

    private static Measurement sum(Measurement one, Measurement other) {
        return new Measurement(
                one.job(),
                one.at(),
                one.kind(),
                one.count() + other.count(),
                one.ran() == null || other.ran() == null ? null : one.ran().plus(other.ran()));
    }

    /** Returns the sums in the order of their first measurements. */
    Collection<Measurement> sums() {
        return sums.values();
    }
}
