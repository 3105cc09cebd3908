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
 * Times at which a schedule does not fire: weekdays, dates, days of each year or month, daily windows, and times that
 * match a cron expression. A time is excluded if at least one of these components excludes it. All times are local
 * times in one time zone. Immutable.
 *
 * <p>An instant is excluded if its local time is excluded. If a daylight-saving change skips the times of a daily
 * window, the window excludes nothing on that day. If these times occur twice on a day, the window excludes both
 * occurrences.
 *
 * @param zone time zone of all local times
 * @param weekdays excluded weekdays, at most six
 * @param dates excluded dates, at most {@value #MOST}
 * @param yearly excluded days of every year; the 29th of February has an effect in leap years only
 * @param monthly excluded days of every month, from 1 to 31, at most 30 of them; months that lack such a day are not
 *     affected
 * @param windows time windows that are excluded every day, at most {@value #MOST}; together they must not cover the
 *     whole day
 * @param crons cron expressions that match the excluded times, at most {@value #MOST_CRONS}; see {@link #cron}
 */
public record Exclusions(
        ZoneId zone,
        Set<DayOfWeek> weekdays,
        Set<LocalDate> dates,
        Set<MonthDay> yearly,
        Set<Integer> monthly,
        List<Window> windows,
        List<String> crons) {
    /** Maximum number of dates, and maximum number of windows. */
    public static final int MOST = 1_000;

    /** Maximum number of cron expressions. */
    public static final int MOST_CRONS = 20;

    private static final int LONGEST_MONTH = 31;

    /**
     * A time window that is excluded every day.
     *
     * @param from start of the window, included
     * @param to end of the window, excluded; midnight means the end of the day. A window whose {@code to} is before
     *     {@code from} ends on the next day
     */
    public record Window(LocalTime from, LocalTime to) {
        /**
         * Checks the times.
         *
         * @throws IllegalArgumentException if the times are equal, or if one of them has a fraction of a millisecond
         */
        public Window {
            if (from.equals(to) || from.getNano() % 1_000_000 != 0 || to.getNano() % 1_000_000 != 0) {
                throw new IllegalArgumentException("excluded window is " + from + " to " + to
                        + "; accepted: two different times in whole milliseconds");
            }
        }

        /** Returns whether the window contains the given time of day. */
        public boolean contains(LocalTime time) {
            return from.isBefore(to)
                    ? !time.isBefore(from) && time.isBefore(to)
                    : !time.isBefore(from) || time.isBefore(to);
        }
    }

    /**
     * Copies and sorts all components.
     *
     * @throws IllegalArgumentException if a component exceeds its limit or contains an invalid value, or if it excludes
     *     every weekday, every day of the month or the whole day
     */
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
            throw new IllegalArgumentException("all seven weekdays are excluded; accepted: at most six");
        }
        if (dates.size() > MOST || windows.size() > MOST) {
            throw new IllegalArgumentException("there are " + dates.size() + " excluded dates and " + windows.size()
                    + " excluded windows; accepted: at most " + MOST + " of each");
        }
        if (monthly.size() == LONGEST_MONTH || monthly.stream().anyMatch(day -> day < 1 || day > LONGEST_MONTH)) {
            throw new IllegalArgumentException(
                    "excluded days of the month are " + monthly + "; accepted: at most 30 different days from 1 to 31");
        }
        if (crons.size() > MOST_CRONS || crons.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("there are " + crons.size()
                    + " cron expressions of excluded times; accepted: at most " + MOST_CRONS + ", none of them blank");
        }
        if (coverTheDay(windows)) {
            throw new IllegalArgumentException(
                    "excluded windows are " + windows + "; accepted: windows that leave a part of the day free");
        }
    }

    /**
     * Returns whether the windows together cover the whole day. Each gap between the windows begins at the end of a
     * window, so the method checks only these ends.
     */
    private static boolean coverTheDay(List<Window> windows) {
        return !windows.isEmpty()
                && windows.stream().map(Window::to).allMatch(end -> windows.stream()
                        .anyMatch(window -> window.contains(end)));
    }

    /**
     * Returns empty exclusions with the given time zone. To use the time zone of a cron schedule, call {@link
     * Schedule#excluding(java.util.function.UnaryOperator)} instead.
     */
    public static Exclusions in(ZoneId zone) {
        return new Exclusions(zone, Set.of(), Set.of(), Set.of(), Set.of(), List.of(), List.of());
    }

    /** Returns these exclusions with additional weekdays. */
    public Exclusions weekdays(DayOfWeek... more) {
        return new Exclusions(zone, with(weekdays, Arrays.asList(more)), dates, yearly, monthly, windows, crons);
    }

    /** Returns these exclusions with additional dates, such as holidays. */
    public Exclusions dates(Collection<LocalDate> more) {
        return new Exclusions(zone, weekdays, with(dates, more), yearly, monthly, windows, crons);
    }

    /** Returns these exclusions with additional dates, such as holidays. */
    public Exclusions dates(LocalDate... more) {
        return dates(Arrays.asList(more));
    }

    /** Returns these exclusions with additional days of every year, such as {@code MonthDay.of(12, 25)}. */
    public Exclusions yearly(MonthDay... more) {
        return new Exclusions(zone, weekdays, dates, with(yearly, Arrays.asList(more)), monthly, windows, crons);
    }

    /** Returns these exclusions with additional days of every month, from 1 to 31. */
    public Exclusions monthly(int... more) {
        Set<Integer> all = with(monthly, IntStream.of(more).boxed().toList());
        return new Exclusions(zone, weekdays, dates, yearly, all, windows, crons);
    }

    /** Returns these exclusions with an additional daily window; see {@link Window}. */
    public Exclusions daily(LocalTime from, LocalTime to) {
        List<Window> all =
                Stream.concat(windows.stream(), Stream.of(new Window(from, to))).toList();
        return new Exclusions(zone, weekdays, dates, yearly, monthly, all, crons);
    }

    /**
     * Returns these exclusions with the minutes that a cron expression matches. For example, {@code * * 0-8,18-23 ? *
     * MON-FRI} excludes all minutes outside office hours on working days.
     *
     * @param expression cron expression in Quartz's dialect. The field for seconds, which comes first, must be {@code
     *     *}, since only whole minutes can be excluded. The expression is checked when the job is registered
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
