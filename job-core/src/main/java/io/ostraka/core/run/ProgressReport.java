package io.ostraka.core.run;

import io.ostraka.api.Progress;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the latest progress of a run, at most once per {@link #PAUSE}. Thread-safe. */
final class ProgressReport {
    /** Time between two writes. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    private final Platform platform;
    private final Consumer<Progress> write;
    private @Nullable Progress waiting;
    private boolean pausing;
    private Runnable cancelNext = () -> {};

    /**
     * @param write writes a progress; must not block
     */
    ProgressReport(Platform platform, Consumer<Progress> write) {
        this.platform = platform;
        this.write = write;
    }

    /** Reports the present progress. */
    synchronized void report(Progress progress) {
        waiting = progress;
        if (!pausing) {
            next();
        }
    }

    /** Writes the last report and ignores later ones; called when the run has ended. */
    synchronized void end() {
        cancelNext.run();
        if (waiting != null) {
            write.accept(waiting);
        }
        waiting = null;
        pausing = true;
    }

    private synchronized void next() {
        pausing = waiting != null;
        if (waiting != null) {
            write.accept(waiting);
            waiting = null;
            cancelNext =
                    platform.timer().after(PAUSE, () -> platform.engineThreads().execute(this::next));
        }
    }
}
