package io.ostraka.api;

/** State of an instance of the application in its life cycle. */
public enum InstanceState {
    /**
     * The instance has not been connected yet, or calls of {@link InstanceListener#beforeWork} have not succeeded yet.
     * The leader assigns no items to it.
     */
    STARTING,
    /** The instance is connected and runs its items. */
    WORKING,
    /** The instance has no connection to ZooKeeper. Running items continue; no new item starts. */
    SUSPENDED,
    /**
     * The instance is drained or being closed. No new item starts. When drained, running items finish; when being
     * closed, they have the shutdown grace to finish.
     */
    DRAINING,
    /** The instance is closed and runs nothing. */
    STOPPED
}
