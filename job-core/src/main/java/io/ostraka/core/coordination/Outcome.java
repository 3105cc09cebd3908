package io.ostraka.core.coordination;

import java.time.Instant;

/** Outcome of a transaction. */
public sealed interface Outcome {
    /**
     * All operations were executed.
     *
     * @param zxid number of the transaction; 0 if it had no write from which to learn the number
     * @param at time of the server at that moment; {@link Instant#EPOCH} if {@code zxid} is 0
     */
    record Committed(long zxid, Instant at) implements Outcome {}

    /**
     * No operation was executed, because of one of them.
     *
     * @param index index of the first operation that could not be executed after those before it; -1 if the whole
     *     transaction was rejected (too large, not allowed)
     * @param reason reason of the rejection
     */
    record Rejected(int index, Reason reason) implements Outcome {}

    /** All operations or none were executed, or will be while this session lives; the outcome is unknown. */
    record Unknown() implements Outcome {}

    /** Reason for which an operation was rejected. */
    enum Reason {
        /** The node has another version. */
        BAD_VERSION,
        /** The node, or the parent of a node to be created, is missing. */
        NO_NODE,
        /** The node to be created exists. */
        NODE_EXISTS,
        /** The node to be deleted has children. */
        NOT_EMPTY,
        /** The transaction is larger than a request may be; a part of it may succeed. */
        TOO_LARGE,
        /**
         * Any other reason (access rights, quotas, throttling). Other transactions of the same kind will fail
         * too for now.
         */
        REFUSED
    }
}
