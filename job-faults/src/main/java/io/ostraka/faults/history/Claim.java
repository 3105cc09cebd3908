package io.ostraka.faults.history;

import java.time.Instant;

/** A claim that was carried out; its transaction's number is the base of the fencing token. */
record Claim(Item item, long zxid, Instant at, long session, WrittenRecord record) {
    private static final long ZXID_BITS = 52;

    /** The transaction's number in a fencing token. */
    static long zxid(long token) {
        return token & ((1L << ZXID_BITS) - 1);
    }
}
