package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.RememberedFireTimes;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The fire times of a cron expression in a time zone.
 *
 * <p>The expression is evaluated for local times without regard to daylight saving. The matching local times are then
 * converted to instants, in one of two ways.
 *
 * <p><b>Fixed times</b> (the hour field omits some hours). Each local time is converted to exactly one instant. A local
 * time that is skipped when clocks go forward fires at the instant of the change. A local time that occurs twice when
 * clocks go back fires at its first occurrence. Later local times never have earlier instants. The next fire is
 * therefore the first matching local time whose instant is later than the given instant. The search starts at the local
 * time of the given instant. If clocks have just gone back and this local time occurs for the second time, the search
 * starts after the repeated times, because they fired at their first occurrence.
 *
 * <p><b>Intervals</b> (every hour is allowed) continue evenly in elapsed time: an instant is a fire if its local time
 * matches. Until the next change of the zone's offset, local time and elapsed time advance together. If no local time
 * before the change matches, the search continues with the local time after the change. This is correct because changes
 * are further apart than the amount by which they move the clock (in all zones since 1970; a test checks this). Skipped
 * local times do not fire.
 *
 * <p>In both cases, finding one fire takes two or three evaluations of the expression.
 */
final class CronFireTimes implements FireTimes {
    private static final long GRAIN_MILLIS = 1_000;

    private final LocalCron cron;
    private final boolean interval;
    private final ZoneRules rules;

    CronFireTimes(LocalCron cron, boolean interval, ZoneRules rules) {
        this.cron = cron;
        this.interval = interval;
        this.rules = rules;
    }

    @Override
    public Optional<Instant> next(Instant after) {
        Instant from = SupportedYears.clamp(after);
        ZoneOffset offset = rules.getOffset(from);
        LocalDateTime local = LocalDateTime.ofEpochSecond(from.getEpochSecond(), 0, offset);
        return interval ? nextOfInterval(from, local) : nextFixedTime(local, offset);
    }

    private Optional<Instant> nextFixedTime(LocalDateTime local, ZoneOffset offset) {
        ZoneOffsetTransition change = rules.getTransition(local);
        boolean secondPass = change != null && change.isOverlap() && offset.equals(change.getOffsetAfter());
        Optional<LocalDateTime> next = secondPass ? cron.atOrAfter(change.getDateTimeBefore()) : cron.after(local);
        return next.map(this::firstInstantOf);
    }

    private Instant firstInstantOf(LocalDateTime local) {
        ZoneOffsetTransition change = rules.getTransition(local);
        if (change != null && change.isGap()) {
            return change.getInstant();
        }
        // if a local time occurs twice, getOffset returns the offset before the change, which gives the earlier instant
        return local.toInstant(rules.getOffset(local));
    }

    private Optional<Instant> nextOfInterval(Instant from, LocalDateTime local) {
        ZoneOffsetTransition change = rules.nextTransition(from);
        Optional<LocalDateTime> next = cron.after(local);
        if (change != null && next.filter(change.getDateTimeBefore()::isAfter).isEmpty()) {
            next = cron.atOrAfter(change.getDateTimeAfter());
        }
        while (next.isPresent()) {
            ZoneOffsetTransition there = rules.getTransition(next.get());
            if (there == null || there.isOverlap()) {
                break;
            }
            next = cron.atOrAfter(there.getDateTimeAfter());
        }
        return next.flatMap(time -> rules.getValidOffsets(time).stream()
                .map(time::toInstant)
                .filter(from::isBefore)
                .findFirst());
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        Deque<Instant> found = new ArrayDeque<>();
        Optional<Instant> first = max < 1 ? Optional.empty() : next(after).filter(fire -> !fire.isAfter(upTo));
        Optional<Instant> second = first.flatMap(this::next).filter(fire -> !fire.isAfter(upTo));
        if (second.isEmpty()) {
            return first.map(List::of).orElse(List.of()); // the usual case, because the caller asks after each fire
        }
        Instant end = upTo;
        long step = GRAIN_MILLIS;
        while (found.size() < max) {
            Optional<Instant> last = last(after, end, step);
            if (last.isEmpty()) {
                break;
            }
            if (!found.isEmpty()) { // most fires are evenly spaced
                step = found.getFirst().toEpochMilli() - last.get().toEpochMilli();
            }
            found.addFirst(last.get());
            end = last.get().minusMillis(1);
        }
        return List.copyOf(found);
    }

    /**
     * Returns the last fire in {@code (after, upTo]}. For every instant before the last fire, the next fire is within
     * the range; for every later instant, it is not. A binary search therefore finds the last fire. The search begins
     * at upTo and first goes back in doubling steps. Its cost depends on the distance of the last fire from upTo, not
     * on the length of the range.
     *
     * @param firstStep length of the first step back, in milliseconds
     */
    private Optional<Instant> last(Instant after, Instant upTo, long firstStep) {
        long begin = SupportedYears.millis(after);
        long end = SupportedYears.millis(upTo);
        long noneAfter = end;
        Optional<Instant> fire = Optional.empty();
        for (long step = firstStep; fire.isEmpty() && noneAfter > begin; step *= 2) {
            long from = Math.max(begin, end - step);
            fire = nextUpTo(from, end);
            if (fire.isEmpty()) {
                noneAfter = from;
            }
        }
        if (fire.isPresent() && nextUpTo(fire.get().toEpochMilli(), end).isEmpty()) {
            return fire;
        }
        // the last fire is in [fire, noneAfter], and fires are at whole seconds
        while (fire.isPresent() && noneAfter - fire.get().toEpochMilli() >= GRAIN_MILLIS) {
            long known = fire.get().toEpochMilli();
            long middle = known + (noneAfter - known) / 2;
            Optional<Instant> later = nextUpTo(middle, end);
            if (later.isPresent()) {
                fire = later;
            } else {
                noneAfter = middle;
            }
        }
        return fire;
    }

    private Optional<Instant> nextUpTo(long afterMillis, long endMillis) {
        return next(Instant.ofEpochMilli(afterMillis)).filter(fire -> fire.toEpochMilli() <= endMillis);
    }

    @Override
    public long shortestGap() {
        return GRAIN_MILLIS;
    }

    @Override
    public FireTimes remembering() {
        return new RememberedFireTimes(this, true);
    }

    @Override
    public long count(Instant after, Instant upTo) {
        long count = 0;
        Optional<Instant> fire = next(after).filter(first -> !first.isAfter(upTo));
        while (fire.isPresent() && ++count < COUNT_LIMIT) {
            fire = next(fire.get()).filter(next -> !next.isAfter(upTo));
        }
        return count;
    }
}
