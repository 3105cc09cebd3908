package io.ostraka.core.time;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs steps one after the other, at once or after a delay. Thread-safe. */
public interface TimedExecutor extends Executor {
    /**
     * Runs a step after a delay.
     *
     * @return an action that cancels the step; it has no effect after the delay
     */
    Runnable after(Duration delay, Runnable step);
}
