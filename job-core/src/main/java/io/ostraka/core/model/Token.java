package io.ostraka.core.model;

import io.ostraka.api.CoordinationException;

/**
 * Fencing and generation tokens: a transaction number of ZooKeeper, prefixed with an epoch that an operator raises after a
 * restore, packed into one positive long. From the top: 11 bits of fence epoch, 20 bits of ZooKeeper's own epoch, 32 bits of
 * its counter.
 */
public final class Token {
    private static final int COUNTER_BITS = 32;
    private static final int ZOOKEEPER_EPOCH_BITS = 20;
    private static final int FENCE_EPOCH_BITS = 11;

    private Token() {}

    /**
     * Packs a token.
     *
     * @throws CoordinationException if a part does not fit; it is never truncated
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
