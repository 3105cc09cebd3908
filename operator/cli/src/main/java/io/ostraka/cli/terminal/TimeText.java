package io.ostraka.cli.terminal;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads times and durations as people type them. */
public final class TimeText {
    static final String TIMES =
            "now, 2026-01-31T22:00 (your time zone), 2026-01-31T21:00Z, 22:00 (the next such time), or 2h30m"
                    + " (from now; -2h for the past)";
    static final String SPANS = "30s, 15m, 2h30m, 1d, or PT2H30M";

    private static final Pattern SPAN =
            Pattern.compile("(?:(\\d{1,6})d)?(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,6})s)?");

    private TimeText() {}

    /**
     * Reads a time.
     *
     * @param clock clock, with the time zone of a time without a zone
     * @throws IllegalArgumentException if the text is not accepted
     */
    public static Instant time(String given, Clock clock) {
        String text = given.strip();
        try {
            if (text.equals("now")) {
                return clock.instant();
            } else if (text.matches("[+-]?(\\d+[dhms])+")) {
                boolean past = text.startsWith("-");
                Duration distance = span(text.replaceFirst("^[+-]", ""));
                return past ? clock.instant().minus(distance) : clock.instant().plus(distance);
            } else if (text.matches("\\d{1,2}:\\d\\d(:\\d\\d)?")) {
                return next(LocalTime.parse(text.length() % 3 == 1 ? "0" + text : text), clock);
            } else if (text.matches("\\d{4}-\\d\\d-\\d\\d")) {
                return LocalDate.parse(text).atStartOfDay(clock.getZone()).toInstant();
            }
            String joined = text.replaceFirst("(?<=\\d) (?=\\d)", "T");
            return joined.matches(".*T.*([zZ]|[+-]\\d\\d(:?\\d\\d)?)")
                    ? OffsetDateTime.parse(joined).toInstant()
                    : LocalDateTime.parse(joined).atZone(clock.getZone()).toInstant();
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + given + "' is not a time; accepted: " + TIMES, e);
        }
    }

    private static Instant next(LocalTime time, Clock clock) {
        ZonedDateTime now = clock.instant().atZone(clock.getZone());
        ZonedDateTime today = now.with(time);
        return (today.isAfter(now) ? today : now.plusDays(1).with(time)).toInstant();
    }

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if the text is not accepted
     */
    public static Duration span(String given) {
        Matcher parts = SPAN.matcher(given.strip());
        try {
            if (!given.isBlank() && parts.matches()) {
                return Duration.ofDays(number(parts.group(1)))
                        .plusHours(number(parts.group(2)))
                        .plusMinutes(number(parts.group(3)))
                        .plusSeconds(number(parts.group(4)));
            }
            return Duration.parse(given.strip());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + given + "' is not a duration; accepted: " + SPANS, e);
        }
    }

    private static long number(String group) {
        return group == null ? 0 : Long.parseLong(group);
    }
}
