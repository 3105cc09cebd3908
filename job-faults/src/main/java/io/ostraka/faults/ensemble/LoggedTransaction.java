package io.ostraka.faults.ensemble;

import org.apache.jute.Record;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as it stands in a server's log, whether it was ever committed or not.
 *
 * @param content what it does; null for the end of a session without a list of its nodes. Of a transaction that failed, its
 *     leader's log and the others' hold different parts, the error in all of them
 */
record LoggedTransaction(TxnHeader header, @Nullable Record content) {
    long zxid() {
        return header.getZxid();
    }

    /** Tells whether another log's entry is the same transaction. */
    boolean isSameAs(LoggedTransaction other) {
        return header.equals(other.header);
    }

    /** Which leader has proposed it. */
    int epoch() {
        return (int) (zxid() >>> Integer.SIZE);
    }

    /** Its place among those that its leader has proposed, from 1 on. */
    long counter() {
        return zxid() & 0xffff_ffffL;
    }
}
