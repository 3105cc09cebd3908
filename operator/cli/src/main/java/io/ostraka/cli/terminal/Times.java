package io.ostraka.cli.terminal;

import io.ostraka.api.operations.Change;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes times for people, absolute and relative to now.
 *
 * @param now time to which relative times refer
 * @param zone time zone of absolute times
 */
public record Times(Instant now, ZoneId zone) {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final Pattern TIME =
            Pattern.compile("(?<![\\w@.:/-])(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(\\.\\d{1,9})?Z");

    /** Returns a time, such as {@code 2026-01-31 22:00:00 (in 5 min)}; a hyphen if there is none. */
    public String both(@Nullable Instant time) {
        return time == null ? "-" : absolute(time) + " (" + relative(time) + ")";
    }

    /** Returns a time in the zone of this object, in UTC with the letter Z; empty text if there is none. */
    public String absolute(@Nullable Instant time) {
        return time == null ? "" : SECONDS.format(time.atZone(zone)) + (zone.equals(ZoneOffset.UTC) ? "Z" : "");
    }

    /**
     * Returns a text of the API with its times rounded down to seconds. A time inside a name, such as the id of a run,
     * is not changed.
     */
    public static String inSeconds(String text) {
        return TIME.matcher(text).replaceAll("$1Z");
    }

    /** Returns a text of the API with its times as {@link #both} writes them, except for times inside names. */
    public String local(String text) {
        return TIME.matcher(text).replaceAll(time -> both(Instant.parse(time.group())));
    }

    /** Describes a change: its author, its time, its reason and its end. */
    public String change(Change change) {
        return change.by() + " " + both(change.at()) + ", reason: "
                + (change.reason().isEmpty() ? "none given" : change.reason())
                + (change.until() == null ? "" : ", until " + both(change.until()));
    }

    /** Returns the time relative to now, such as {@code in 5 min} or {@code 3 d ago}. */
    public String relative(Instant time) {
        Duration distance = Duration.between(now, time);
        if (distance.abs().compareTo(Duration.ofSeconds(1)) < 0) {
            return "now";
        }
        return distance.isNegative() ? span(distance.negated()) + " ago" : "in " + span(distance);
    }

    /** Returns the time since an instant, such as {@code 2 h 5 min}. */
    public String since(Instant time) {
        Duration distance = Duration.between(time, now);
        return span(distance.isNegative() ? Duration.ZERO : distance);
    }

    /** Returns a duration in its two largest units. */
    public static String span(Duration span) {
        long seconds = span.toSeconds();
        if (seconds < 1) {
            return span.toMillis() + " ms";
        } else if (seconds < 60) {
            return seconds + " s";
        } else if (seconds < 3600) {
            return seconds / 60 + " min" + rest(seconds % 60, "s", seconds < 600);
        } else if (seconds < 86_400) {
            return seconds / 3600 + " h" + rest(seconds % 3600 / 60, "min", true);
        }
        return seconds / 86_400 + " d" + rest(seconds % 86_400 / 3600, "h", seconds < 10 * 86_400);
    }

    private static String rest(long number, String unit, boolean shown) {
        return shown && number > 0 ? " " + number + " " + unit : "";
    }
}
