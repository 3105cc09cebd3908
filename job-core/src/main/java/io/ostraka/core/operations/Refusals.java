package io.ostraka.core.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.model.JobView;
import java.util.Objects;

/** Exceptions for commands and views that the state of the namespace or the options do not permit. */
public final class Refusals {
    private Refusals() {}

    /** Returns the request id; the options must contain one. */
    static String requestId(CommandOptions options) {
        return Objects.requireNonNull(options.requestId(), "requestId");
    }

    /** Returns the exception for a job that is not registered. */
    public static CoordinationException unknown(String job) {
        return CoordinationException.notFound(
                "job '" + job + "' is not registered in this namespace: check the name, or register the job first");
    }

    /** Returns the exception for a job without a readable definition. */
    static CoordinationException undefined(JobView job) {
        return job.problem() == null
                ? unknown(job.name())
                : CoordinationException.refused(
                        "job '" + job.name() + "' has no readable definition: " + job.problem());
    }

    /** Returns the exception for a request after the connection was closed. */
    public static CoordinationException closed() {
        return new CoordinationException("this registry is closed; open a new one");
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
