package io.ostraka.faults.ensemble;

import org.apache.jute.Record;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in a server's log. It may not be committed.
 *
 * @param content operation; null for the end of a session whose entry does not list the session's nodes. For a failed
 *     transaction, each log contains the error, but the leader's log and the followers' logs contain different parts of
 *     the operation
 */
record LoggedTransaction(TxnHeader header, @Nullable Record content) {
    long zxid() {
        return header.getZxid();
    }

    /** Returns whether an entry of another log stands for the same transaction. */
    boolean isSameAs(LoggedTransaction other) {
        return header.equals(other.header);
    }

    /** Returns the epoch of the leader that proposed the transaction. */
    int epoch() {
        return (int) (zxid() >>> Integer.SIZE);
    }

    /** Returns the transaction's position among the proposals of its leader, starting at 1. */
    long counter() {
        return zxid() & 0xffff_ffffL;
    }
}
