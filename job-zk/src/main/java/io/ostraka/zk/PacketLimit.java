package io.ostraka.zk;

import io.ostraka.core.tree.NodeRequests;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How large a transaction may be, as far as lost connections tell. A server drops the connection at a packet above its
 * {@code jute.maxbuffer} without an answer, which looks like any other lost connection, so that the same transaction would be
 * sent for ever. When connections are lost one after the other, each with a large transaction under way and none answered,
 * transactions are kept below half of that size for a while. Thread-safe.
 */
final class PacketLimit {
    /** How long a limit holds that was concluded, and perhaps wrongly. */
    static final Duration TRUST = Duration.ofMinutes(10);
    /** No server takes less: one job name of a thousand would not get through. */
    private static final long LEAST = 16 << 10;
    /** How many connections must be lost in a row. */
    private static final int LOSSES = 3;

    private final LongSupplier nanos;
    private long most = NodeRequests.MAX_BYTES;
    private long concludedAt;
    /** The smallest transaction that was under way at each of the last losses. */
    private long suspect = Long.MAX_VALUE;

    private int losses;
    private int lostOn;

    PacketLimit(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns whether transactions are kept small now. */
    synchronized boolean limits() {
        return !allows(NodeRequests.MAX_BYTES);
    }

    /** Returns whether a transaction may be sent. */
    synchronized boolean allows(long bytes) {
        if (most < NodeRequests.MAX_BYTES && nanos.getAsLong() - concludedAt > TRUST.toNanos()) {
            most = NodeRequests.MAX_BYTES;
            cleared();
        }
        return bytes <= most;
    }

    /** A transaction was answered: its size is no reason to lose a connection. */
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
     * A transaction got no answer.
     *
     * @param connection the number of the connection that it was sent on; of each the first loss counts
     * @return how large a transaction may be from now on, if that is concluded here
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
