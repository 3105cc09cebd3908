package io.ostraka.api;

/** The treatment of running items when the instance loses its ZooKeeper session. Their tokens are fenced either way. */
public enum SessionLossPolicy {
    /** The engine cancels the runs and interrupts their threads; the default. */
    INTERRUPT,
    /** The runs continue; {@link ShardingContext#checkOwnership()} fails. */
    KEEP_RUNNING
}
