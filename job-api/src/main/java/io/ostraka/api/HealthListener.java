package io.ostraka.api;

/** Receives changes of an instance's health. */
@FunctionalInterface
public interface HealthListener {
    /**
     * Receives the current health after a change. The engine calls the listener on a worker thread, one call at a time.
     * The engine waits about a second after a change and then reports the latest health, so several changes can lead to
     * one call. Changes during a call are also combined into one later call. A change that is reversed before the
     * report is not reported.
     *
     * @param health current health
     * @throws Exception any exception; the engine logs it and continues
     */
    void healthChanged(Health health) throws Exception;
}
