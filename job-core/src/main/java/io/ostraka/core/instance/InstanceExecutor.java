package io.ostraka.core.instance;

import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.TimedExecutor;
import io.ostraka.core.time.Timer;
import java.time.Duration;

/** The serial executor of an instance. Thread-safe. */
final class InstanceExecutor implements TimedExecutor {
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

    @Override
    public Runnable after(Duration delay, Runnable step) {
        return timer.after(delay, () -> steps.execute(step));
    }
}
