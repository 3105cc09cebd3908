package io.ostraka.faults.simulation;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.OnceListener;
import java.time.Duration;
import java.util.Map;

/** Is told of whole fires, takes its time for it, and may die of it. */
final class Announcer implements OnceListener {
    private static final int MOST_MILLIS = 2_000;

    private final Watch watch;

    Announcer(Watch watch) {
        this.watch = watch;
    }

    /** None that a process standing still could reach. */
    @Override
    public Duration timeLimit() {
        return Duration.ofDays(1);
    }

    @Override
    public void beforeFirst(JobFire fire) {
        watch.announced(fire, false, Map.of(), MOST_MILLIS);
    }

    @Override
    public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
        watch.announced(fire, true, outcomes, MOST_MILLIS);
    }
}
