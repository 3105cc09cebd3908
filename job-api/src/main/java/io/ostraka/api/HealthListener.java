package io.ostraka.api;

/** Is told when the health of an instance changes. */
@FunctionalInterface
public interface HealthListener {
    /**
     * The health has changed. Called on a worker thread, one call at a time; changes gather for about a second, and while
     * a call is under way, so that each call tells the latest. What was different for a moment only is not told.
     *
     * @param health how it is now
     * @throws Exception anything; it is logged and hinders nothing else
     */
    void healthChanged(Health health) throws Exception;
}
