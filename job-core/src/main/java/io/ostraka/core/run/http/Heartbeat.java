package io.ostraka.core.run.http;

import io.ostraka.api.ItemOutcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ends of runs are a sign of life. For the namespace, each success is one. For a job, a success is one
 * unless the last run of another item in this instance has failed. Not thread-safe.
 */
final class Heartbeat {
    /**
     * Number of rounds for which a failure counts. In a round, each item ends at most once. An item that ends in none
     * of so many rounds has moved to another instance, which reports its success.
     */
    static final int ROUNDS = 3;

    private final @Nullable String job;
    private final Set<String> endedInRound = new HashSet<>();
    private final Map<String, Long> failedInRound = new HashMap<>();
    private long round;

    /** @param job name of the job; null for the namespace */
    Heartbeat(@Nullable String job) {
        this.job = job;
    }

    /** Returns whether the end of a run is a sign of life. */
    boolean beats(String ofJob, String item, ItemOutcome outcome) {
        if (job == null) {
            return outcome == ItemOutcome.SUCCEEDED;
        }
        if (!job.equals(ofJob)) {
            return false;
        }
        if (!endedInRound.add(item)) {
            round++;
            endedInRound.clear();
            endedInRound.add(item);
            failedInRound.values().removeIf(failed -> failed + ROUNDS <= round);
        }
        switch (outcome) {
            case SUCCEEDED -> failedInRound.remove(item);
            case FAILED, TIMED_OUT -> failedInRound.put(item, round);
            default -> {} // the run was stopped or handed over
        }
        return outcome == ItemOutcome.SUCCEEDED && failedInRound.isEmpty();
    }

    /** Returns the job or the namespace, for people. */
    String subject() {
        return job == null ? "the namespace" : "job '" + job + "'";
    }
}
