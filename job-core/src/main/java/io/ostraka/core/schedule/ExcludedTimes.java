package io.ostraka.core.schedule;

import io.ostraka.api.Exclusions;
import io.ostraka.api.Exclusions.Window;
import io.ostraka.api.JobConfigurationException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times that a schedule excludes. Time is divided into pieces, and each piece is either completely excluded or
 * completely free. A piece ends at midnight, at the start or end of an excluded window, or at a change of the zone's
 * offset. Within a piece, local time and elapsed time therefore advance together. Two adjacent pieces may both be
 * excluded or both be free. Thread-safe.
 */
final class ExcludedTimes {
    /**
     * Maximum number of pieces that the search for one fire visits. If a daily fire is always excluded, the search ends
     * after 27 years.
     */
    static final int MOST_PIECES = 10_000;

    private final Exclusions exclusions;
    private final List<ExcludedCron> crons;
    private final ZoneRules rules;
    /** The day of the last query, cached because most queries are about the same day. */
    private volatile @Nullable Day known;

    /** Exclusions of one day: either the whole day, or some windows. */
    private record Day(LocalDate date, boolean whole, List<Window> windows) {}

    private ExcludedTimes(Exclusions exclusions, List<ExcludedCron> crons) {
        this.exclusions = exclusions;
        this.crons = crons;
        this.rules = exclusions.zone().getRules();
    }

    /**
     * Creates the excluded times of a schedule.
     *
     * @param jobName name of the job, for the exception
     * @throws JobConfigurationException if an excluded cron expression is invalid
     */
    static ExcludedTimes of(String jobName, Exclusions exclusions) {
        List<ExcludedCron> crons = new ArrayList<>();
        for (String expression : exclusions.crons()) {
            try {
                crons.add(ExcludedCron.parse(expression));
            } catch (ParseException e) {
                throw new JobConfigurationException(
                        jobName,
                        "excluded cron",
                        expression,
                        "a cron expression in Quartz's dialect whose seconds are *, such as '* * 0-8,18-23 ? * MON-FRI' ("
                                + e.getMessage() + ")",
                        e);
            }
        }
        return new ExcludedTimes(exclusions, List.copyOf(crons));
    }

    boolean contains(Instant instant) {
        LocalDateTime local = local(instant);
        Day day = day(local.toLocalDate());
        return day.whole || day.windows.stream().anyMatch(window -> window.contains(local.toLocalTime()));
    }

    /** Returns whether the piece that contains an instant, or one of the next {@link #MOST_PIECES} pieces, is free. */
    boolean leaveTime(Instant from) {
        Instant at = from;
        for (int piece = 0; contains(at); piece++) {
            if (piece == MOST_PIECES) {
                return false;
            }
            at = to(at);
        }
        return true;
    }

    private Day day(LocalDate date) {
        Day day = known;
        if (day == null || !day.date.equals(date)) {
            day = read(date);
            known = day;
        }
        return day;
    }

    private Day read(LocalDate date) {
        if (exclusions.weekdays().contains(date.getDayOfWeek())
                || exclusions.dates().contains(date)
                || exclusions.yearly().contains(MonthDay.from(date))
                || exclusions.monthly().contains(date.getDayOfMonth())) {
            return new Day(date, true, List.of());
        }
        List<Window> windows = new ArrayList<>(exclusions.windows());
        for (ExcludedCron cron : crons) {
            if (cron.matches(date)) {
                if (cron.wholeDay()) {
                    return new Day(date, true, List.of());
                }
                windows.addAll(cron.windows());
            }
        }
        return new Day(date, false, windows);
    }

    /** Returns the first instant of the piece that contains an instant. */
    Instant from(Instant instant) {
        LocalDateTime local = local(instant);
        LocalDateTime from = edges(local)
                .map(local.toLocalDate()::atTime)
                .filter(edge -> !edge.isAfter(local))
                .max(LocalDateTime::compareTo)
                .orElseThrow(); // midnight is always an edge
        Instant begin = instant.minus(Duration.between(from, local));
        ZoneOffsetTransition change = rules.previousTransition(instant.plusNanos(1));
        return change != null && change.getInstant().isAfter(begin) ? change.getInstant() : begin;
    }

    /** Returns the first instant after the piece that contains an instant. */
    Instant to(Instant instant) {
        LocalDateTime local = local(instant);
        LocalDateTime to = edges(local)
                .map(local.toLocalDate()::atTime)
                .filter(edge -> edge.isAfter(local))
                .min(LocalDateTime::compareTo)
                .orElse(local.toLocalDate().plusDays(1).atStartOfDay());
        Instant end = instant.plus(Duration.between(local, to));
        ZoneOffsetTransition change = rules.nextTransition(instant);
        return change != null && change.getInstant().isBefore(end) ? change.getInstant() : end;
    }

    /** Returns the times of a day at which pieces may begin: midnight, and the start and end of each window. */
    private Stream<LocalTime> edges(LocalDateTime time) {
        return Stream.concat(
                Stream.of(LocalTime.MIDNIGHT),
                day(time.toLocalDate()).windows.stream().flatMap(window -> Stream.of(window.from(), window.to())));
    }

    private LocalDateTime local(Instant instant) {
        ZoneOffset offset = rules.getOffset(instant);
        return LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), offset);
    }
}
