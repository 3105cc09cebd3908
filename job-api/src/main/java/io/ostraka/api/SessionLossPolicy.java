package io.ostraka.api;

/** What becomes of running items when the instance loses its ZooKeeper session. Their tokens are fenced either way. */
public enum SessionLossPolicy {
    /** They are cancelled and their threads interrupted; the default. */
    INTERRUPT,
    /** They run on; {@link ShardingContext#checkOwnership()} fails. */
    KEEP_RUNNING
}
