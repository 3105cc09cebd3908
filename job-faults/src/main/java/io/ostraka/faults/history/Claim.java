package io.ostraka.faults.history;

import java.time.Instant;

/**
 * A claim that was carried out; its transaction's number is the base of the fencing token.
 *
 * @param items how many items the run is told that its fire has: where they have no numbers, those of the plan that it claims by
 */
record Claim(Item item, long zxid, Instant at, long session, WrittenRecord record, int items) {
    private static final long ZXID_BITS = 52;

    /** The transaction's number in a fencing token. */
    static long zxid(long token) {
        return token & ((1L << ZXID_BITS) - 1);
    }
}
