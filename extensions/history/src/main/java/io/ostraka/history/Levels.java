package io.ostraka.history;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The levels at which the history keeps the runs of this instance's jobs. Thread-safe. */
final class Levels {
    /** Shortest interval between two fires for which a job without a level keeps all its runs. */
    private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(10);
    /** Number of fires whose intervals are compared, because the intervals of a cron expression differ. */
    private static final int COMPARED_FIRES = 60;

    private final Map<String, HistoryLevel> known = new ConcurrentHashMap<>();

    /**
     * Records the configuration of a job.
     *
     * @param now current time, from which the next fires of the schedule are counted
     * @return the level; null if it is the same as before
     */
    @Nullable HistoryLevel configured(JobConfiguration job, Instant now) {
        HistoryLevel level = job.history() == null ? byDefault(job, now) : job.history();
        return level.equals(known.put(job.jobName(), level)) ? null : level;
    }

    /** Returns the level of a job. A job whose configuration this instance does not know has the level ALL. */
    HistoryLevel of(String job) {
        return known.getOrDefault(job, HistoryLevel.ALL);
    }

    private static HistoryLevel byDefault(JobConfiguration job, Instant now) {
        if (job.schedule().unbounded()
                instanceof Schedule.Continuous) { // as long as there is work, one run follows the other
            return HistoryLevel.FAILURES;
        }
        List<Instant> fires = Schedules.nextFires(job.schedule(), now, COMPARED_FIRES);
        for (int i = 1; i < fires.size(); i++) {
            if (Duration.between(fires.get(i - 1), fires.get(i)).compareTo(SHORTEST_PERIOD) < 0) {
                return HistoryLevel.FAILURES;
            }
        }
        return HistoryLevel.ALL;
    }
}
