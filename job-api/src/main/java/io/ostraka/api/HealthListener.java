package io.ostraka.api;

/** Receives changes of an instance's health. */
@FunctionalInterface
public interface HealthListener {
    /**
     * Receives the present health after a change. The engine calls the listener on a worker thread, one call at a time.
     * It combines all changes of about a second, and all changes during a call, into one call with the latest state. A
     * change that is reversed within that time is not reported.
     *
     * @param health present health
     * @throws Exception anything; the engine logs it and continues
     */
    void healthChanged(Health health) throws Exception;
}
