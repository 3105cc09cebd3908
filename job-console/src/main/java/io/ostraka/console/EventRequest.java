package io.ostraka.console;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for the live events of a namespace. Immutable.
 *
 * @param namespace name of the namespace, as the client sent it
 * @param jobs names of the jobs that the client displays, at most {@value #MOST_JOBS}, without duplicates
 * @param lastEventId id of the last event that the client has received; null if the client asks for the first time
 */
public record EventRequest(String namespace, List<String> jobs, @Nullable String lastEventId) {
    /** Largest number of jobs whose items a client follows. */
    public static final int MOST_JOBS = 5;

    /** Copies the jobs. */
    public EventRequest {
        jobs = List.copyOf(jobs);
    }
}
