package io.ostraka.core.run;

import io.ostraka.api.Progress;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the progress of a run, at most once per {@link #PAUSE}. If several reports arrive during a pause, only the
 * latest is written. Thread-safe.
 */
final class ProgressReport {
    /** Minimum time between two writes. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    private final Platform platform;
    private final Consumer<Progress> write;
    private @Nullable Progress waiting;
    private boolean pausing;
    private Runnable cancelNext = () -> {};

    /** @param write writes the given progress; must not block */
    ProgressReport(Platform platform, Consumer<Progress> write) {
        this.platform = platform;
        this.write = write;
    }

    /**
     * Writes progress at once if no pause is in effect. Otherwise writes it at the end of the pause, unless a later
     * report replaces it.
     */
    synchronized void report(Progress progress) {
        waiting = progress;
        if (!pausing) {
            next();
        }
    }

    /**
     * If a report waits for the end of the pause, writes it now. Ignores later reports. Called when the run has ended.
     */
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
            cancelNext = platform.later(PAUSE, this::next);
        }
    }
}
