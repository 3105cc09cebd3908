package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The fire times of a schedule that never fires by itself. */
final class OnDemandFireTimes implements FireTimes {
    @Override
    public Optional<Instant> next(Instant after) {
        return Optional.empty();
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        return List.of();
    }

    @Override
    public long count(Instant after, Instant upTo) {
        return 0;
    }
}
