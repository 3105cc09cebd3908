package io.ostraka.core.coordination;

import java.time.Instant;

/** What became of a transaction. */
public sealed interface Outcome {
    /**
     * All of it was carried out.
     *
     * @param zxid its number, 0 when it held no write to learn it from
     * @param at the server's clock at that moment; {@link Instant#EPOCH} when {@code zxid} is 0
     */
    record Committed(long zxid, Instant at) implements Outcome {}

    /**
     * Nothing of it was carried out, because of one operation.
     *
     * @param index which, from 0: the first that could not be carried out, given those before it; -1 when the whole was
     *     refused (too large, not allowed)
     * @param reason why
     */
    record Rejected(int index, Reason reason) implements Outcome {}

    /** All or nothing of it was carried out, or will be as long as this session lives; nobody knows which. */
    record Unknown() implements Outcome {}

    /** Why an operation was rejected. */
    enum Reason {
        /** The node has another version. */
        BAD_VERSION,
        /** The node, or the parent of a node to be created, is missing. */
        NO_NODE,
        /** The node to be created exists. */
        NODE_EXISTS,
        /** The node to be deleted has children. */
        NOT_EMPTY,
        /** The transaction as a whole is larger than a request may be; a part of it may be carried out. */
        TOO_LARGE,
        /** Anything else (access rights, quotas, throttling): no other transaction of its kind will do better now. */
        REFUSED
    }
}
