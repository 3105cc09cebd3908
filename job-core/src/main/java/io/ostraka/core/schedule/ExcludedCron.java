package io.ostraka.core.schedule;

import io.ostraka.api.Exclusions.Window;
import java.text.ParseException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * The minutes that a cron expression matches: the same windows of time on each matching day. Immutable and thread-safe.
 *
 * @param days expression that fires at midnight of each matching day
 * @param windows matching windows in order, with a gap between any two; empty if the whole day matches
 * @param wholeDay true if all minutes of matching days match
 */
record ExcludedCron(LocalCron days, List<Window> windows, boolean wholeDay) {
    private static final int MINUTES = 60;
    private static final int MINUTES_OF_DAY = 24 * MINUTES;
    private static final int MINUTE = 1;
    private static final int HOUR = 2;
    private static final int DAY = 3;

    /**
     * Parses an expression.
     *
     * @throws ParseException if the expression is invalid, never matches, or does not match whole minutes
     */
    static ExcludedCron parse(String expression) throws ParseException {
        if (CronParser.parse(expression).atOrAfter(LocalCron.FIRST).isEmpty()) {
            throw new ParseException("it matches no time from 1970 on", 0);
        }
        String[] fields = expression.toUpperCase(Locale.ROOT).strip().split("[ \\t]+");
        if (!fields[0].equals("*")) {
            throw new ParseException("its seconds are '" + fields[0] + "', and it excludes whole minutes", 0);
        }
        BitSet hours = values("0 0 " + fields[HOUR] + " * * ?", MINUTES_OF_DAY);
        BitSet minutes = values("0 " + fields[MINUTE] + " 0 * * ?", MINUTES);
        BitSet matched = new BitSet(MINUTES_OF_DAY);
        hours.stream().forEach(hour -> minutes.stream().forEach(minute -> matched.set(hour + minute)));
        String days = String.join(" ", List.of(fields).subList(DAY, fields.length));
        return new ExcludedCron(
                CronParser.parse("0 0 0 " + days), windows(matched), matched.cardinality() == MINUTES_OF_DAY);
    }

    /**
     * Returns the minutes at which an expression fires, counted from midnight. Considers only minutes below {@code
     * bound}.
     */
    private static BitSet values(String expression, int bound) throws ParseException {
        LocalCron cron = CronParser.parse(expression);
        BitSet values = new BitSet(bound);
        LocalDateTime end = LocalCron.FIRST.plusMinutes(bound);
        for (LocalDateTime at = cron.atOrAfter(LocalCron.FIRST).orElse(end);
                at.isBefore(end);
                at = cron.after(at).orElse(end)) {
            values.set(at.getHour() * MINUTES + at.getMinute());
        }
        return values;
    }

    private static List<Window> windows(BitSet minutes) {
        List<Window> windows = new ArrayList<>();
        for (int from = minutes.nextSetBit(0); from >= 0; ) {
            int to = minutes.nextClearBit(from);
            if (from > 0 || to < MINUTES_OF_DAY) {
                windows.add(new Window(time(from), time(to % MINUTES_OF_DAY)));
            }
            from = minutes.nextSetBit(to);
        }
        return windows;
    }

    private static LocalTime time(int minute) {
        return LocalTime.MIDNIGHT.plusMinutes(minute);
    }

    /** Returns whether the expression matches at least one minute of a day. */
    boolean matches(LocalDate day) {
        LocalDateTime midnight = day.atStartOfDay();
        return days.atOrAfter(midnight).filter(midnight::equals).isPresent();
    }
}
