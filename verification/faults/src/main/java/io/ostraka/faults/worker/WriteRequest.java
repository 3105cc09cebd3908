package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import org.jspecify.annotations.Nullable;

/**
 * A write that a worker requests from the resource.
 *
 * @param process name of the worker
 * @param token fencing token of the run
 * @param generation generation token of the run
 * @param position position of the write in its stream; null for a run without a stream
 */
record WriteRequest(String process, String job, String item, long token, long generation, @Nullable Long position) {
    /** Answers of the resource. */
    static final String ACCEPTED = "accepted";

    static final String REFUSED = "refused";

    static WriteRequest of(String process, ShardingContext context, @Nullable Long position) {
        return new WriteRequest(
                process,
                context.jobName(),
                context.itemKey(),
                context.fencingToken(),
                context.generationToken(),
                position);
    }
}
