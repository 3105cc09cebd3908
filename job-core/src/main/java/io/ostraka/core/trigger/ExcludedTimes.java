package io.ostraka.core.trigger;

import io.ostraka.api.Exclusions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.stream.Stream;

/**
 * What a schedule's exclusions mean on the time line: it is cut into pieces, each excluded as a whole or free as a whole.
 * A piece ends at the next midnight, where a window begins or ends, and where the offset changes, so that within it local
 * and elapsed time run alike. Two pieces of the same sort may follow each other.
 */
final class ExcludedTimes {
    private final Exclusions exclusions;
    private final ZoneRules rules;

    ExcludedTimes(Exclusions exclusions) {
        this.exclusions = exclusions;
        this.rules = exclusions.zone().getRules();
    }

    boolean contains(Instant instant) {
        return exclusions.contains(local(instant));
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
    private Stream<LocalTime> edges(LocalDateTime day) {
        boolean whole = exclusions.weekdays().contains(day.getDayOfWeek())
                || exclusions.dates().contains(day.toLocalDate());
        Stream<LocalTime> windows = whole
                ? Stream.empty()
                : exclusions.windows().stream().flatMap(window -> Stream.of(window.from(), window.to()));
        return Stream.concat(Stream.of(LocalTime.MIDNIGHT), windows);
    }

    private LocalDateTime local(Instant instant) {
        ZoneOffset offset = rules.getOffset(instant);
        return LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), offset);
    }
}
