package io.ostraka.api;

/** State of an instance of the application in its life cycle. */
public enum InstanceState {
    /**
     * The instance has not connected to ZooKeeper yet, or its {@link InstanceListener#beforeWork} calls have not all
     * succeeded yet. The leader assigns no items to the instance.
     */
    STARTING,
    /** The instance is connected and runs its items. */
    WORKING,
    /** The instance has no connection to ZooKeeper. Running items continue; no new item starts. */
    SUSPENDED,
    /**
     * The instance is drained or is shutting down. No new item starts. In a drained instance, running items finish; in
     * an instance that is shutting down, they have the shutdown grace to finish.
     */
    DRAINING,
    /** The instance is closed and runs nothing. */
    STOPPED
}
