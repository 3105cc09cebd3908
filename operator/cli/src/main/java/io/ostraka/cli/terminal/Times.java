package io.ostraka.cli.terminal;

import io.ostraka.api.operations.Change;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes times for people, absolute and relative to now.
 *
 * @param now time to which relative times refer
 * @param zone time zone of absolute times
 */
public record Times(Instant now, ZoneId zone) {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    /** Times with four digits of the year in every time zone. */
    private static final Instant FIRST = Instant.parse("0000-01-02T00:00:00Z");

    private static final Instant LAST = Instant.parse("9999-12-30T23:59:59Z");

    private static final Pattern TIME =
            Pattern.compile("(?<![\\w@.:/-])(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(\\.\\d{1,9})?Z");

    /** Returns a time, such as {@code 2026-01-31 22:00:00 (in 5 min)}; a hyphen if there is none. */
    public String both(@Nullable Instant time) {
        return time == null ? "-" : absolute(time) + " (" + relative(time) + ")";
    }

    /**
     * Returns a time in the zone of this object, in UTC with the letter Z; empty text if there is none. A server may send
     * a year that has no four digits; such a time is shown in UTC, because the arithmetic of a zone could fail.
     */
    public String absolute(@Nullable Instant time) {
        if (time == null) {
            return "";
        } else if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            return time.toString();
        }
        return SECONDS.format(time.atZone(zone)) + (zone.equals(ZoneOffset.UTC) ? "Z" : "");
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
        return TIME.matcher(text).replaceAll(this::local);
    }

    private String local(MatchResult found) {
        try {
            return both(Instant.parse(found.group()));
        } catch (DateTimeException e) { // a text may have any digits
            return found.group();
        }
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
