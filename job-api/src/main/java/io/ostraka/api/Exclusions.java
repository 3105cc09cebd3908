package io.ostraka.api;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The times at which a schedule doesn't fire: weekdays, dates, days of each year or month, daily windows, and what a cron
 * expression matches, as a clock and a calendar in a time zone show them. What one of them names is excluded, whatever the
 * others say. Immutable.
 *
 * <p>An instant is excluded if its local time is. So a window that a daylight-saving change skips excludes nothing that
 * day, and one that comes twice is excluded twice.
 *
 * @param zone where the clock and the calendar hang
 * @param weekdays not all seven
 * @param dates at most {@value #MOST}
 * @param yearly days of every year, the 29th of February of leap years alone
 * @param monthly days of every month that has them, from 1 to 31, not all
 * @param windows at most {@value #MOST}, together not the whole day
 * @param crons at most {@value #MOST_CRONS}; see {@link #cron}
 */
public record Exclusions(
        ZoneId zone,
        Set<DayOfWeek> weekdays,
        Set<LocalDate> dates,
        Set<MonthDay> yearly,
        Set<Integer> monthly,
        List<Window> windows,
        List<String> crons) {
    /** How many dates or windows there may be. */
    public static final int MOST = 1_000;

    /** How many cron expressions there may be. */
    public static final int MOST_CRONS = 20;

    private static final int LONGEST_MONTH = 31;

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
        yearly = Collections.unmodifiableSet(new TreeSet<>(yearly));
        monthly = Collections.unmodifiableSet(new TreeSet<>(monthly));
        crons = crons.stream().distinct().sorted().toList();
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
        if (monthly.size() == LONGEST_MONTH || monthly.stream().anyMatch(day -> day < 1 || day > LONGEST_MONTH)) {
            throw new IllegalArgumentException(
                    "excluded days of the month are " + monthly + "; accepted: from 1 to 31, 30 of them at most");
        }
        if (crons.size() > MOST_CRONS || crons.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("excluded are " + crons.size() + " cron expressions; accepted: "
                    + MOST_CRONS + " at most, none of them empty");
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

    /** Starts with none, in a time zone; {@link Schedule#excluding(java.util.function.UnaryOperator)} does in the schedule's. */
    public static Exclusions in(ZoneId zone) {
        return new Exclusions(zone, Set.of(), Set.of(), Set.of(), Set.of(), List.of(), List.of());
    }

    /** Returns the same with more weekdays. */
    public Exclusions weekdays(DayOfWeek... more) {
        return new Exclusions(zone, with(weekdays, Arrays.asList(more)), dates, yearly, monthly, windows, crons);
    }

    /** Returns the same with more dates, such as holidays. */
    public Exclusions dates(Collection<LocalDate> more) {
        return new Exclusions(zone, weekdays, with(dates, more), yearly, monthly, windows, crons);
    }

    /** Returns the same with more dates, such as holidays. */
    public Exclusions dates(LocalDate... more) {
        return dates(Arrays.asList(more));
    }

    /** Returns the same with more days of every year, such as {@code MonthDay.of(12, 25)}. */
    public Exclusions yearly(MonthDay... more) {
        return new Exclusions(zone, weekdays, dates, with(yearly, Arrays.asList(more)), monthly, windows, crons);
    }

    /** Returns the same with more days of every month, from 1 to 31. */
    public Exclusions monthly(int... more) {
        Set<Integer> all = with(monthly, IntStream.of(more).boxed().toList());
        return new Exclusions(zone, weekdays, dates, yearly, all, windows, crons);
    }

    /** Returns the same with one more part of every day; see {@link Window}. */
    public Exclusions daily(LocalTime from, LocalTime to) {
        List<Window> all =
                Stream.concat(windows.stream(), Stream.of(new Window(from, to))).toList();
        return new Exclusions(zone, weekdays, dates, yearly, monthly, all, crons);
    }

    /**
     * Returns the same with the minutes that a cron expression matches, for example all but office hours:
     * {@code * * 0-8,18-23 ? * MON-FRI}.
     *
     * @param expression in Quartz's dialect, its first field, the seconds, {@code *}: what is excluded is whole minutes. It is
     *     checked when the job is registered
     */
    public Exclusions cron(String expression) {
        List<String> all =
                Stream.concat(crons.stream(), Stream.of(expression.strip())).toList();
        return new Exclusions(zone, weekdays, dates, yearly, monthly, windows, all);
    }

    private static <T> Set<T> with(Set<T> some, Collection<T> more) {
        Set<T> all = new TreeSet<>(some);
        all.addAll(more);
        return all;
    }
}
