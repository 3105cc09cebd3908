package io.ostraka.api;

/** Where an instance of the application is in its life. */
public enum InstanceState {
    /** It has not been connected yet, or what {@link InstanceListener#beforeWork} does is not done: it gets no items. */
    STARTING,
    /** It is connected, and runs what it is given. */
    WORKING,
    /** It has no connection. What runs goes on, nothing starts. */
    SUSPENDED,
    /** It is drained: what runs may end, and nothing more is given to it. Or it is being closed: what runs may end within its grace. */
    DRAINING,
    /** It is closed, and runs nothing any more. */
    STOPPED
}
