package io.ostraka.core.run;

import io.ostraka.api.Progress;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes on what a run says of how far it is: the latest, and not too often. Thread-safe. */
final class ProgressReport {
    /** Between two writes. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    private final Platform platform;
    private final Consumer<Progress> write;
    private @Nullable Progress waiting;
    private boolean pausing;
    private Runnable cancelNext = () -> {};

    /**
     * @param write must wait for nothing
     */
    ProgressReport(Platform platform, Consumer<Progress> write) {
        this.platform = platform;
        this.write = write;
    }

    /** The run is so far. */
    synchronized void report(Progress progress) {
        waiting = progress;
        if (!pausing) {
            next();
        }
    }

    /** The run has ended: what waits is written, and nothing more comes. */
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
            cancelNext = platform.timer().after(PAUSE, () -> platform.lanes().execute(this::next));
        }
    }
}
