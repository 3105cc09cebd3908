package io.ostraka.history;

import io.ostraka.api.event.CursorSetBack;
import io.ostraka.history.row.HistoryEvent;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An operator's change of a cursor that was in the future. The detail of an event row begins with these values.
 *
 * @param incarnation number of the item's set of records
 * @param runNumber number of the item's last claim before the change; 0 if there was none
 * @param to the new cursor
 * @param at time of the change by the clock of the instance that made it
 */
record SetBack(long incarnation, long runNumber, Instant to, Instant at) {
    private static final Pattern DETAIL = Pattern.compile(
            "from \\S+ to (\\S+) in incarnation (\\d{1,18}) after run (\\d{1,18})(,.*)?", Pattern.DOTALL);

    /** Returns the beginning of the detail of an event row. */
    static String detail(CursorSetBack event) {
        return "from " + event.from() + " to " + event.to() + " in incarnation " + event.incarnation() + " after run "
                + event.runNumber();
    }

    /** Returns the change that an event row shows; null if the row lacks a value. */
    static @Nullable SetBack of(HistoryEvent event) {
        Matcher detail = DETAIL.matcher(event.detail());
        if (!detail.matches()) {
            return null;
        }
        try {
            return new SetBack(
                    Long.parseLong(detail.group(2)),
                    Long.parseLong(detail.group(3)),
                    Instant.parse(detail.group(1)).truncatedTo(ChronoUnit.MILLIS),
                    event.at());
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
