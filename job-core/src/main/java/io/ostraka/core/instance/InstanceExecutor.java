package io.ostraka.core.instance;

import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;

/** The serial executor of an instance. Runs steps one after the other, at once or after a delay. Thread-safe. */
final class InstanceExecutor implements Executor {
    private final SerialExecutor steps;
    private final Timer timer;

    InstanceExecutor(SerialExecutor steps, Timer timer) {
        this.steps = steps;
        this.timer = timer;
    }

    @Override
    public void execute(Runnable step) {
        steps.execute(step);
    }

    /**
     * Runs a step after a delay.
     *
     * @return an action that cancels the step; it has no effect after the delay
     */
    Runnable after(Duration delay, Runnable step) {
        return timer.after(delay, () -> steps.execute(step));
    }
}
