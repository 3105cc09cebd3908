package io.ostraka.core.model;

import io.ostraka.api.CoordinationException;

/**
 * Packs fencing and generation tokens. A token is a positive long: below the sign bit, 11 bits of the job's fence
 * epoch, 20 bits of ZooKeeper's epoch and 32 bits of ZooKeeper's transaction counter. After ZooKeeper was restored from
 * a backup, an operator raises the fence epoch in the job's configuration. New tokens thus stay higher than old tokens.
 */
public final class Token {
    private static final int COUNTER_BITS = 32;
    private static final int ZOOKEEPER_EPOCH_BITS = 20;
    private static final int FENCE_EPOCH_BITS = 11;

    private Token() {}

    /**
     * Packs a token.
     *
     * @throws CoordinationException if the fence epoch or the zxid has too many bits; this method never truncates them
     */
    public static long pack(int fenceEpoch, long zxid) {
        if (zxid <= 0 || zxid >>> (COUNTER_BITS + ZOOKEEPER_EPOCH_BITS) != 0) {
            throw new CoordinationException("ZooKeeper's transaction number 0x" + Long.toHexString(zxid)
                    + " does not fit a fencing token; its epoch must be below 2^" + ZOOKEEPER_EPOCH_BITS);
        }
        if (fenceEpoch < 0 || fenceEpoch >>> FENCE_EPOCH_BITS != 0) {
            throw new CoordinationException(
                    "fence epoch " + fenceEpoch + " does not fit a fencing token; accepted: 0 to 2047");
        }
        return (long) fenceEpoch << (COUNTER_BITS + ZOOKEEPER_EPOCH_BITS) | zxid;
    }
}
