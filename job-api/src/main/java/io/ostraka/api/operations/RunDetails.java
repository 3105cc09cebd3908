package io.ostraka.api.operations;

import io.ostraka.api.ItemOutcome;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A run that a manual trigger has requested. Immutable.
 *
 * @param job name of the job
 * @param runId id of the run
 * @param state state of the run
 * @param left keys of the items that have not ended; empty while the run waits. Unmodifiable
 * @param outcomes outcomes of the ended items by item key; unmodifiable
 */
public record RunDetails(String job, String runId, State state, Set<String> left, Map<String, ItemOutcome> outcomes) {
    /** Copies the collections. */
    public RunDetails {
        left = Collections.unmodifiableSet(new TreeSet<>(left));
        outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
    }

    /** State of a run. */
    public enum State {
        /** No item has begun: the trigger waits for the end of its delay, for earlier triggers or for instances. */
        WAITING,
        /** Items of the run are running or wait for their turn. */
        RUNNING,
        /** All items have ended. */
        ENDED
    }
}
