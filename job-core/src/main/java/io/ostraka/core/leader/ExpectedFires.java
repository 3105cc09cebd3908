package io.ostraka.core.leader;

import io.ostraka.core.decide.AlarmCauses;
import io.ostraka.core.decide.ExpectedFire;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fires of all jobs that should have begun, during a term of leadership. Computes the fire of a job only when a
 * node of the job has changed or the next fire is expected, because schedules are expensive to parse. Confined to the
 * leader's executor.
 */
final class ExpectedFires {
    private final Map<String, Known> jobs = new HashMap<>();

    private record Known(JobView view, Optional<Versioned<Orders>> orders, ExpectedFire fire) {
        boolean of(JobView latest, Optional<Versioned<Orders>> read, Instant now) {
            return view == latest && orders.equals(read) && now.isBefore(fire.until());
        }
    }

    /**
     * Returns the latest fire of a job that should have begun; null if there is none.
     *
     * @param orders the operators' orders for the namespace
     * @param job supplies the values from which fires are computed; empty if they are unknown
     */
    @Nullable Instant of(JobView view, Optional<Versioned<Orders>> orders, Supplier<Optional<AlarmCauses.Job>> job, Instant now) {
        Known known = jobs.get(view.name());
        if (known == null || !known.of(view, orders, now)) {
            ExpectedFire fire =
                    job.get().map(values -> ExpectedFire.of(values, now)).orElse(ExpectedFire.NONE);
            known = new Known(view, orders, fire);
            jobs.put(view.name(), known);
        }
        return known.fire.at();
    }

    /** Forgets all jobs except the given ones. */
    void retain(Set<String> present) {
        jobs.keySet().retainAll(present);
    }
}
