package io.ostraka.api;

/** Receives changes of an instance's health. */
@FunctionalInterface
public interface HealthListener {
    /**
     * Receives the present health after a change. Called on a worker thread, one call at a time. Changes are gathered for about a
     * second, and during a call, so each call has the latest state; a change that is undone within that time is not reported.
     *
     * @param health present health
     * @throws Exception anything; the engine logs it and goes on
     */
    void healthChanged(Health health) throws Exception;
}
