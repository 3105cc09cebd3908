package io.ostraka.core.coordination;

import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Versioned;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A requested change of a job's override.
 *
 * @param change function from the present override to the next one. The function may be called several times. If the
 *     function throws an exception, the request fails
 * @param expected transaction that wrote the override that the operator has seen; 0 if there was none, null to accept
 *     any override
 * @param request id of the request, from 1 to 128 printable characters; a second request with the same id changes
 *     nothing. Null for a request without an id
 */
public record Amendment(UnaryOperator<JobOverride> change, @Nullable Long expected, @Nullable String request) {
    /** Checks the id of the request. */
    public Amendment {
        if (request != null) {
            JobOverride.requireRequest(request);
        }
    }

    /** Returns a request without an id that accepts any present override. */
    public static Amendment of(UnaryOperator<JobOverride> change) {
        return new Amendment(change, null, null);
    }

    /** Result of a requested change. */
    public sealed interface Result {}

    /**
     * The override was changed.
     *
     * @param override the override that was written
     * @param names names of the changed fields and components, as in {@link JobOverride#changes}
     */
    public record Changed(Versioned<JobOverride> override, Set<String> names) implements Result {}

    /**
     * Nothing was written.
     *
     * @param override the present override; null if there is none
     * @param repeated true if an earlier request had the same id; false if the change made no difference
     */
    public record Unchanged(@Nullable Versioned<JobOverride> override, boolean repeated) implements Result {}

    /**
     * Nothing was written, because the override is not the expected one.
     *
     * @param present the present override; null if there is none
     */
    public record Conflict(@Nullable Versioned<JobOverride> present) implements Result {}
}
