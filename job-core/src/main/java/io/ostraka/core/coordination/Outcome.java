package io.ostraka.core.coordination;

import java.time.Instant;

/** Outcome of a transaction on nodes. */
public sealed interface Outcome {
    /**
     * All operations were executed.
     *
     * @param zxid number of the transaction; 0 if the transaction contained no write, since only answers to writes
     *     contain the number
     * @param at time of the transaction on the server's clock; {@link Instant#EPOCH} if {@code zxid} is 0
     */
    record Committed(long zxid, Instant at) implements Outcome {}

    /**
     * No operation was executed, because one of them was not possible.
     *
     * @param index index of the first operation that was not possible; -1 if the transaction as a whole was rejected
     *     (too large, not allowed)
     * @param reason reason for the rejection
     */
    record Rejected(int index, Reason reason) implements Outcome {}

    /**
     * The answer was lost. There are three cases: the server has executed all operations, it will execute all of them
     * before the end of the session, or it will never execute any of them.
     */
    record Unknown() implements Outcome {}

    /** Reason why a transaction was rejected. */
    enum Reason {
        /** The node has a different version. */
        BAD_VERSION,
        /** The node does not exist, or the parent of a node to create does not exist. */
        NO_NODE,
        /** The node to create already exists. */
        NODE_EXISTS,
        /** The node to delete has children. */
        NOT_EMPTY,
        /** The request is too large. A smaller transaction may succeed. */
        TOO_LARGE,
        /**
         * Any other reason, such as access rights, quotas or throttling. Similar transactions will probably be rejected
         * too.
         */
        REFUSED
    }
}
