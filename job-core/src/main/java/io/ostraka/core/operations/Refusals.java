package io.ostraka.core.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Wanted;
import java.util.Collection;
import java.util.List;
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

    /**
     * Checks that no instance has an earlier version of the library, because an earlier version would ignore the
     * command.
     *
     * @param what the command, for the message
     */
    static void requireCurrent(String what, Collection<InstanceInfo> instances) {
        List<String> older = InstanceInfo.olderThan(Wanted.SINCE_PROTOCOL, instances);
        if (!older.isEmpty()) {
            throw older(what, older);
        }
    }

    /** Returns the exception for a command that some instances would ignore because they have an earlier version. */
    static CoordinationException older(String what, List<String> instances) {
        return CoordinationException.refused(
                what + " is refused, because these instances have an earlier version and would" + " ignore it: "
                        + instances + "; update or stop them first");
    }
}
