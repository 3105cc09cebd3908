package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A single fire, or none if its instant is outside the supported years. No later fire replaces this fire, so it never
 * counts as misfired.
 */
record SingleFireTimes(Instant fire) implements FireTimes {
    @Override
    public Optional<Instant> next(Instant after) {
        return after.isBefore(fire) && !fire.isAfter(SupportedYears.LAST) ? Optional.of(fire) : Optional.empty();
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        return next(after).filter(next -> !next.isAfter(upTo)).stream().toList();
    }

    @Override
    public long count(Instant after, Instant upTo) {
        return latest(after, upTo, 1).size();
    }

    @Override
    public boolean patient() {
        return true;
    }
}
