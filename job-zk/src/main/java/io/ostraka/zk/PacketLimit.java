package io.ostraka.zk;

import io.ostraka.core.tree.NodeRequests;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Limits the size of transactions to a size that the server seems to accept. If a packet exceeds the server's {@code
 * jute.maxbuffer}, the server closes the connection without a reply. The store sees only a lost connection, and would
 * send the same transaction again and again. This class therefore counts consecutive connections that are lost while a
 * large transaction has no reply. After three such connections, it limits transactions to half the size of the smallest
 * transaction that got no reply. The limit lasts for {@link #TRUST}. Thread-safe.
 */
final class PacketLimit {
    /**
     * Duration of a limit. It is short, because a limit can be set by mistake and should then have no lasting effect.
     */
    static final Duration TRUST = Duration.ofMinutes(10);
    /**
     * Smallest limit. Servers with a smaller {@code jute.maxbuffer} are not supported, since even a list of a thousand
     * job names would not fit.
     */
    private static final long LEAST = 16 << 10;
    /** Number of consecutive lost connections that lead to a limit. */
    private static final int LOSSES = 3;

    private final LongSupplier nanos;
    private long most = NodeRequests.MAX_BYTES;
    private long concludedAt;
    /** Size of the smallest transaction that got no reply in the current series of lost connections. */
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

    /** Records a transaction that got a reply, which shows that the server accepts its size. */
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
     * Records a transaction that got no reply because its connection was lost.
     *
     * @param bytes size of the transaction
     * @param connection number of the connection on which the transaction was sent; only the first call for each
     *     connection counts
     * @return the new limit in bytes; empty if this loss leads to no limit
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
