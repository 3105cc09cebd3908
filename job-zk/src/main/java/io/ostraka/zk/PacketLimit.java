package io.ostraka.zk;

import io.ostraka.core.tree.NodeRequests;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Limits the size of transactions to a size that the server seems to accept. A server drops the connection without a
 * reply when a packet exceeds its {@code jute.maxbuffer}. This looks like any other lost connection, so the store would
 * send the same transaction again and again. If consecutive connections are lost, each with a large unanswered
 * transaction, this class limits transactions to less than half of that size for a while. Thread-safe.
 */
final class PacketLimit {
    /** Time for which a limit applies. A wrong conclusion ends then as well. */
    static final Duration TRUST = Duration.ofMinutes(10);
    /** Smallest limit. No server accepts less, since not even one job name of a thousand would fit. */
    private static final long LEAST = 16 << 10;
    /** Number of consecutive losses that lead to a limit. */
    private static final int LOSSES = 3;

    private final LongSupplier nanos;
    private long most = NodeRequests.MAX_BYTES;
    private long concludedAt;
    /** Smallest unanswered transaction of the last losses. */
    private long suspect = Long.MAX_VALUE;

    private int losses;
    private int lostOn;

    PacketLimit(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns whether a limit applies now. */
    synchronized boolean limits() {
        return !allows(NodeRequests.MAX_BYTES);
    }

    /** Returns whether a transaction of the given size may be sent. */
    synchronized boolean allows(long bytes) {
        if (most < NodeRequests.MAX_BYTES && nanos.getAsLong() - concludedAt > TRUST.toNanos()) {
            most = NodeRequests.MAX_BYTES;
            cleared();
        }
        return bytes <= most;
    }

    /** Records a transaction with a reply: its size did not cause a loss. */
    synchronized void answered(long bytes) {
        if (bytes >= suspect) {
            cleared();
        }
    }

    private void cleared() {
        suspect = Long.MAX_VALUE;
        losses = 0;
    }

    /**
     * Records a transaction without a reply.
     *
     * @param bytes size of the transaction
     * @param connection number of the connection that it was sent on; only the first loss of each connection counts
     * @return the new limit in bytes if this loss leads to one
     */
    synchronized OptionalLong lost(long bytes, int connection) {
        if (bytes < LEAST || (losses > 0 && connection == lostOn)) {
            return OptionalLong.empty();
        }
        lostOn = connection;
        losses++;
        suspect = Math.min(suspect, bytes);
        if (losses < LOSSES) {
            return OptionalLong.empty();
        }
        most = Math.max(LEAST, suspect / 2);
        concludedAt = nanos.getAsLong();
        cleared();
        return OptionalLong.of(most);
    }
}
