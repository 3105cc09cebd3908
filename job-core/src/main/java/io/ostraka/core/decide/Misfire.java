package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.core.model.FireTimes;
import java.time.Instant;
import java.util.Optional;

/**
 * Applies a job's misfire policy, which keeps some of the misfired fires. A fire is misfired if it became due outside
 * the item's busy time (see {@link FireDecision}), and if the decision about it comes too late: after the misfire
 * threshold, or after the next fire is due.
 */
final class Misfire {
    private Misfire() {}

    /**
     * Returns the oldest misfired fire that the policy keeps; empty if it keeps none. If the policy limits the number of
     * kept fires, fires after the item's last busy time take precedence over earlier fires.
     */
    static Optional<Instant> oldest(Backlog backlog, JobConfiguration configuration) {
        MisfirePolicy policy = configuration.misfire();
        Instant onTime = backlog.onTime();
        if (policy instanceof MisfirePolicy.Skip || (policy instanceof MisfirePolicy.FireOnce && onTime != null)) {
            return Optional.empty();
        }
        int max = policy instanceof MisfirePolicy.FireAll all ? all.max() : 1;
        Instant upTo = onTime == null ? backlog.now() : onTime.minusMillis(1);
        Instant limit = configuration.catchUpWindow().map(backlog.now()::minus).orElse(backlog.from());
        FireTimes times = backlog.times();
        Instant earlier = Backlog.later(backlog.from(), limit);
        Instant later = Backlog.later(backlog.busyTo(), limit);
        int before = max
                - (times.fits(earlier, upTo, max)
                        ? 0
                        : times.latest(later, upTo, max).size());
        return (before == 0
                        ? Optional.<Instant>empty()
                        : times.oldestOfLatest(earlier, Backlog.earlier(backlog.busyFrom(), upTo), before))
                .or(() -> times.oldestOfLatest(later, upTo, max));
    }
}
