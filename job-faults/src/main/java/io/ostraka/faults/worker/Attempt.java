package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import org.jspecify.annotations.Nullable;

/**
 * What a worker asks the resource to take.
 *
 * @param process the worker's name
 * @param token the run's fencing token
 * @param generation the run's generation token
 * @param position how far a stream has come; null for what is no stream
 */
record Attempt(String process, String job, String item, long token, long generation, @Nullable Long position) {
    /** Whether it was accepted, as the resource answers. */
    static final String ACCEPTED = "accepted";

    static final String REFUSED = "refused";

    static Attempt of(String process, ShardingContext context, @Nullable Long position) {
        return new Attempt(
                process,
                context.jobName(),
                context.itemKey(),
                context.fencingToken(),
                context.generationToken(),
                position);
    }
}
