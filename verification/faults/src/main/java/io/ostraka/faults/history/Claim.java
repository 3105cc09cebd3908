package io.ostraka.faults.history;

import java.time.Instant;

/**
 * A claim that the server has applied. The number of its transaction is the base of the fencing token.
 *
 * @param items item count that the run's code receives; for items without numbers, the item count of the plan in force
 *     at the claim
 */
record Claim(Item item, long zxid, Instant at, long session, WrittenRecord record, int items) {
    private static final long ZXID_BITS = 52;

    /** Returns the transaction number that a fencing token contains. */
    static long zxid(long token) {
        return token & ((1L << ZXID_BITS) - 1);
    }
}
