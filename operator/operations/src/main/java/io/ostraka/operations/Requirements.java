package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.model.JobView;
import java.util.Objects;
import java.util.UUID;

/** What commands and views require of a job and of the options, and the exceptions if it is missing. */
final class Requirements {
    private Requirements() {}

    /** Returns the options with a request id; a new id if they have none. */
    static CommandOptions identified(CommandOptions options) {
        return options.requestId() == null
                ? options.withRequestId(UUID.randomUUID().toString())
                : options;
    }

    /** Returns the request id; the options must contain one. */
    static String requestId(CommandOptions options) {
        return Objects.requireNonNull(options.requestId(), "requestId");
    }

    /** Returns the exception for a job without a readable definition. */
    static CoordinationException undefined(JobView job) {
        return job.problem() == null
                ? Refusals.unknown(job.name())
                : CoordinationException.refused(
                        "job '" + job.name() + "' has no readable definition: " + job.problem());
    }

    /** Returns the exception for a job without a readable plan. */
    static CoordinationException noPlan(JobView job) {
        return CoordinationException.refused("job '" + job.name() + "' has no readable plan: "
                + (job.problem() == null ? "the leader has not planned it yet" : job.problem()));
    }

    /** Checks that the job is not removed, because a removed job has no items that could run. */
    static void requirePresent(JobView job) {
        boolean emptied = job.plan() != null && job.plan().value().removed();
        if (emptied || (job.overrideKnown() && job.overrideOrNone().removed())) {
            throw CoordinationException.refused(
                    "job '" + job.name() + "' is removed; register it again before you repeat the command");
        }
    }
}
