package io.ostraka.core.tree;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.model.Trigger;

/** The parts of a transaction that creates a manual trigger. */
final class TriggerNodes {
    private TriggerNodes() {}

    /** Returns the operation that checks that the job is registered. A trigger of an unknown job would wait forever. */
    static NodeOp defined(String job) {
        return new NodeOp.Check(Paths.config(job), NodeOp.ANY_VERSION);
    }

    /** Returns whether a transaction was rejected because of {@link #defined}, which must be its first operation. */
    static boolean undefined(Outcome outcome) {
        return outcome instanceof Outcome.Rejected rejected
                && rejected.index() == 0
                && rejected.reason() == Outcome.Reason.NO_NODE;
    }

    static NodeOp creating(Trigger.Request request) {
        return new NodeOp.Create(Paths.trigger("t-"), Codec.encode(request), NodeOp.Kind.PERSISTENT_SEQUENTIAL);
    }
}
