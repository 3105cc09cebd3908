package io.ostraka.api;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The times at which a schedule doesn't fire: weekdays, dates, and daily windows, as a clock and a calendar in a time zone
 * show them. Immutable.
 *
 * <p>An instant is excluded if its local time is. So a window that a daylight-saving change skips excludes nothing that
 * day, and one that comes twice is excluded twice.
 *
 * @param zone where the clock and the calendar hang
 * @param weekdays not all seven
 * @param dates at most {@value #MOST}
 * @param windows at most {@value #MOST}, together not the whole day
 */
public record Exclusions(ZoneId zone, Set<DayOfWeek> weekdays, Set<LocalDate> dates, List<Window> windows) {
    /** How many dates or windows there may be. */
    public static final int MOST = 1_000;

    /**
     * A part of every day.
     *
     * @param from its first time
     * @param to the first time after it; midnight for a window up to the end of the day, and one that is earlier than
     *     {@code from} is the next day's
     */
    public record Window(LocalTime from, LocalTime to) {
        /** Refuses a window of no time, and fractions of a millisecond. */
        public Window {
            if (from.equals(to) || from.getNano() % 1_000_000 != 0 || to.getNano() % 1_000_000 != 0) {
                throw new IllegalArgumentException("excluded window is " + from + " to " + to
                        + "; accepted: two different times in whole milliseconds");
            }
        }

        /** Tells whether it holds a time of day. */
        public boolean contains(LocalTime time) {
            return from.isBefore(to)
                    ? !time.isBefore(from) && time.isBefore(to)
                    : !time.isBefore(from) || time.isBefore(to);
        }
    }

    /** Copies, in order; refuses what leaves no time at all. */
    public Exclusions {
        Objects.requireNonNull(zone, "zone");
        weekdays = Collections.unmodifiableSet(new TreeSet<>(weekdays));
        dates = Collections.unmodifiableSet(new TreeSet<>(dates));
        windows = windows.stream()
                .distinct()
                .sorted(Comparator.comparing(Window::from).thenComparing(Window::to))
                .toList();
        if (weekdays.size() == DayOfWeek.values().length) {
            throw new IllegalArgumentException("excluded weekdays are all seven; accepted: six at most");
        }
        if (dates.size() > MOST || windows.size() > MOST) {
            throw new IllegalArgumentException("excluded are " + dates.size() + " dates and " + windows.size()
                    + " windows; accepted: " + MOST + " at most of each");
        }
        if (coverTheDay(windows)) {
            throw new IllegalArgumentException(
                    "excluded windows are " + windows + "; accepted: less than the whole day");
        }
    }

    /** Every stretch of free time begins where a window ends. */
    private static boolean coverTheDay(List<Window> windows) {
        return !windows.isEmpty()
                && windows.stream().map(Window::to).allMatch(end -> windows.stream()
                        .anyMatch(window -> window.contains(end)));
    }

    /** Starts with none, in a time zone. */
    public static Exclusions in(ZoneId zone) {
        return new Exclusions(zone, Set.of(), Set.of(), List.of());
    }

    /** Returns the same with more weekdays. */
    public Exclusions weekdays(DayOfWeek... more) {
        Set<DayOfWeek> all = new TreeSet<>(weekdays);
        all.addAll(Arrays.asList(more));
        return new Exclusions(zone, all, dates, windows);
    }

    /** Returns the same with more dates, such as holidays. */
    public Exclusions dates(Collection<LocalDate> more) {
        Set<LocalDate> all = new TreeSet<>(dates);
        all.addAll(more);
        return new Exclusions(zone, weekdays, all, windows);
    }

    /** Returns the same with more dates, such as holidays. */
    public Exclusions dates(LocalDate... more) {
        return dates(Arrays.asList(more));
    }

    /** Returns the same with one more part of every day; see {@link Window}. */
    public Exclusions daily(LocalTime from, LocalTime to) {
        return new Exclusions(
                zone,
                weekdays,
                dates,
                Stream.concat(windows.stream(), Stream.of(new Window(from, to))).toList());
    }

    /** Tells whether a local time is excluded. */
    public boolean contains(LocalDateTime local) {
        return weekdays.contains(local.getDayOfWeek())
                || dates.contains(local.toLocalDate())
                || windows.stream().anyMatch(window -> window.contains(local.toLocalTime()));
    }
}
