package io.ostraka.history;

import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a batch of events. Measurements of the same hour with the same run time are combined into one row,
 * because the sum changes a roll-up in the same way. Not thread-safe.
 */
final class BatchRows {
    private final List<Row> rows = new ArrayList<>();
    private final Map<Same, Measurement> sums = new LinkedHashMap<>();

    /** Values that measurements must have in common to be combined. */
    private record Same(String job, Instant hour, String kind, @Nullable Duration ran) {}

    /** Adds the rows of an event. A measurement with a run time measures one run. */
    void add(List<Row> ofEvent) {
        for (Row row : ofEvent) {
            if (row instanceof Measurement each) {
                add(each);
            } else {
                rows.add(row);
            }
        }
    }

    private void add(Measurement each) {
        Duration ran = each.ran() == null ? null : each.ran().truncatedTo(ChronoUnit.MILLIS); // the precision of a row
        sums.merge(
                new Same(each.job(), each.at().truncatedTo(ChronoUnit.HOURS), each.kind(), ran),
                new Measurement(each.job(), each.at(), each.kind(), each.count(), ran),
                BatchRows::sum);
    }

    private static Measurement sum(Measurement one, Measurement other) {
        return new Measurement(
                one.job(),
                one.at(),
                one.kind(),
                one.count() + other.count(),
                one.ran() == null || other.ran() == null ? null : one.ran().plus(other.ran()));
    }

    /** Returns the rows in their order, followed by the combined measurements. */
    List<Row> all() {
        List<Row> all = new ArrayList<>(rows);
        all.addAll(sums.values());
        return all;
    }
}
