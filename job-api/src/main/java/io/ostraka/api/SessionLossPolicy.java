package io.ostraka.api;

/**
 * Decides what happens to the running items of an instance that loses its ZooKeeper session. With both policies, the
 * fencing tokens of these runs are outdated as soon as another instance claims the items.
 */
public enum SessionLossPolicy {
    /** The engine cancels the runs and interrupts their threads; the default. */
    INTERRUPT,
    /** The runs continue; {@link ShardingContext#checkOwnership()} throws an exception in them. */
    KEEP_RUNNING
}
