package io.ostraka.core.decide;

import io.ostraka.core.model.FireTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The fires of a schedule, without the one fire that an item has run before its due time.
 *
 * @param all fire times of the item
 * @param without the fire that is left out
 */
record OtherFireTimes(FireTimes all, Instant without) implements FireTimes {
    @Override
    public Optional<Instant> next(Instant after) {
        Optional<Instant> next = all.next(after);
        return next.equals(Optional.of(without)) ? all.next(without) : next;
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        List<Instant> others = all.latest(after, upTo, max == Integer.MAX_VALUE ? max : max + 1).stream()
                .filter(fire -> !fire.equals(without))
                .toList();
        return others.subList(Math.max(0, others.size() - max), others.size());
    }

    @Override
    public long count(Instant after, Instant upTo) {
        boolean within = without.isAfter(after) && !without.isAfter(upTo);
        long fires = all.count(after, upTo);
        return fires >= COUNT_LIMIT ? fires : fires - (within ? all.count(without.minusNanos(1), without) : 0);
    }

    @Override
    public long shortestGap() {
        return all.shortestGap();
    }

    @Override
    public boolean patient() {
        return all.patient();
    }
}
