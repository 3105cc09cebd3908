package io.ostraka.types;

import io.ostraka.api.ItemOutcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the end of a run causes a heartbeat. For the namespace, every success causes one. For a job, a
 * success causes one unless another item of the job has failed in its latest run in this instance. Not thread-safe.
 */
final class Heartbeat {
    /**
     * Number of rounds after which a failure no longer counts. In a round, each item ends at most once. An item that
     * has ended in none of these rounds has moved to another instance, which sends the heartbeats for it.
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

    /** Returns whether the end of a run causes a heartbeat. */
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

    /** Returns a description of the job or the namespace, for log messages. */
    String subject() {
        return job == null ? "the namespace" : "job '" + job + "'";
    }
}
