package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.faults.worker.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds the figures of a soak that are too low to prove anything, such as the number of faults or runs. */
final class MinimumFigures {
    /** Required number of faults in each minute of the phase with faults. */
    private static final int FAULTS_A_MINUTE = 10;
    /** Required number of runs in each minute of the whole soak. */
    private static final int RUNS_A_MINUTE = 1_000;
    /**
     * Names of the bounds for isolated faults. In a plan of at least {@link #LONG}, each of them must be measured at
     * least once. A shorter plan contains only one isolated kill, which may not interrupt any run.
     */
    private static final Set<String> ALONE = Set.of(Recoveries.KILLED_CLEAR, Recoveries.OUTAGE_CLEAR);

    private static final Duration LONG = Duration.ofMinutes(4);

    /** Minimum length of a plan that contains enough kills during calls of once-listeners. */
    private static final Duration AIMED = Duration.ofMinutes(2);

    private MinimumFigures() {}

    /**
     * Returns the figures of one seed that are too low, each with the required minimum.
     *
     * @param trouble planned length of the phase with faults
     * @param minutes total time that the soak of this seed took
     */
    static List<String> lacking(Duration trouble, double minutes, long faults, FireCounts tally, List<Bound> bounds) {
        List<String> lacking = new ArrayList<>();
        least(lacking, "faults", faults, trouble.toSeconds() * FAULTS_A_MINUTE / 60);
        least(lacking, "runs", tally.all().runs(), (long) (minutes * RUNS_A_MINUTE));
        least(lacking, "writes that the resource has accepted", tally.effects() - tally.refused(), 1);
        if (trouble.compareTo(AIMED) >= 0) {
            least(lacking, "kills inside of a once-listener's call", tally.cut(), 1);
        }
        for (JobConfiguration job : Workload.jobs()) {
            FireCounts.Fires fires = tally.jobs().getOrDefault(job.jobName(), FireCounts.Fires.NONE);
            least(lacking, "runs of job " + job.jobName(), fires.runs(), 1);
        }
        for (Bound bound : bounds) {
            if (ALONE.contains(bound.name()) && trouble.compareTo(LONG) >= 0) {
                least(lacking, "times " + bound.name(), bound.judged(), 1);
            }
        }
        return lacking;
    }

    private static void least(List<String> lacking, String what, long number, long least) {
        if (number < least) {
            lacking.add(String.format(Locale.ROOT, "%s: %d, at least %d", what, number, least));
        }
    }
}
