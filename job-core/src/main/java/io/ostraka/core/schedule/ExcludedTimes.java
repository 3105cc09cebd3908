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
 * What a schedule's exclusions mean on the time line: it is cut into pieces, each excluded as a whole or free as a whole.
 * A piece ends at the next midnight, where a window begins or ends, and where the offset changes, so that within it local
 * and elapsed time run alike. Two pieces of the same sort may follow each other. Thread-safe.
 */
final class ExcludedTimes {
    /** How many pieces in a row are searched for one fire: a daily one would be excluded for 27 years. */
    static final int MOST_PIECES = 10_000;

    private final Exclusions exclusions;
    private final List<ExcludedCron> crons;
    private final ZoneRules rules;
    /** What the day looked at last is like: mostly the next question is of the same. */
    private volatile @Nullable Day known;

    /** A day's windows, and whether it is excluded as a whole. */
    private record Day(LocalDate date, boolean whole, List<Window> windows) {}

    private ExcludedTimes(Exclusions exclusions, List<ExcludedCron> crons) {
        this.exclusions = exclusions;
        this.crons = crons;
        this.rules = exclusions.zone().getRules();
    }

    /**
     * Reads exclusions.
     *
     * @param jobName named in the exception
     * @throws JobConfigurationException when a cron expression among them can't be read
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

    /** Tells whether anything at all is left, from an instant on. */
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

    /** The first instant of the piece that an instant lies in. */
    Instant from(Instant instant) {
        LocalDateTime local = local(instant);
        LocalDateTime from = edges(local)
                .map(local.toLocalDate()::atTime)
                .filter(edge -> !edge.isAfter(local))
                .max(LocalDateTime::compareTo)
                .orElseThrow(); // midnight is one
        Instant begin = instant.minus(Duration.between(from, local));
        ZoneOffsetTransition change = rules.previousTransition(instant.plusNanos(1));
        return change != null && change.getInstant().isAfter(begin) ? change.getInstant() : begin;
    }

    /** The first instant after the piece that an instant lies in. */
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

    /** The times of a day at which pieces may begin, midnight included; a day that is excluded is one piece. */
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
