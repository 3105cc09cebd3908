package io.ostraka.console;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for the live events of a namespace. Immutable.
 *
 * @param namespace name of the namespace, as the client sent it
 * @param jobs names of the jobs whose items the client displays, at most {@value #MOST_JOBS}, without duplicates
 * @param shown names of the other jobs that the client displays, at most {@value #MOST_SHOWN}; if the set is empty, the
 *     client displays all jobs
 * @param lastEventId id of the last event that the client has received; null if the client asks for the first time
 */
public record EventRequest(String namespace, List<String> jobs, Set<String> shown, @Nullable String lastEventId) {
    /** Largest number of jobs whose items a client follows. */
    public static final int MOST_JOBS = 5;

    /** Largest number of other jobs that a client names. */
    public static final int MOST_SHOWN = 100;

    /** Copies the jobs. */
    public EventRequest {
        jobs = List.copyOf(jobs);
        shown = Set.copyOf(shown);
    }

    /** Returns whether the client displays a job. */
    public boolean shows(String job) {
        return shown.isEmpty() || shown.contains(job) || jobs.contains(job);
    }
}
