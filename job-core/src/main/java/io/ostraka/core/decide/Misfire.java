package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies a job's misfire policy, which keeps some of the misfired fires. A fire is misfired if it became due outside
 * the item's busy time (see {@link FireDecision}), and if the decision about it comes too late: after the misfire
 * threshold, or after the next fire is due.
 */
final class Misfire {
    private Misfire() {}

    /**
     * Returns the misfired fires that the policy keeps. If the policy limits their number, fires after the item's last
     * busy time take precedence over earlier fires.
     */
    static List<Instant> kept(Backlog backlog, JobConfiguration configuration) {
        MisfirePolicy policy = configuration.misfire();
        Instant onTime = backlog.onTime();
        if (policy instanceof MisfirePolicy.Skip || (policy instanceof MisfirePolicy.FireOnce && onTime != null)) {
            return List.of();
        }
        int max = policy instanceof MisfirePolicy.FireAll all ? all.max() : 1;
        Instant upTo = onTime == null ? backlog.now() : onTime.minusMillis(1);
        Instant oldest = configuration.catchUpWindow().map(backlog.now()::minus).orElse(backlog.from());
        List<Instant> latest =
                new ArrayList<>(backlog.times().latest(Backlog.later(backlog.busyTo(), oldest), upTo, max));
        if (latest.size() < max) {
            latest.addAll(backlog.times()
                    .latest(
                            Backlog.later(backlog.from(), oldest),
                            Backlog.earlier(backlog.busyFrom(), upTo),
                            max - latest.size()));
        }
        return latest;
    }
}
