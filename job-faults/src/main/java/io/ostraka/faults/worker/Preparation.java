package io.ostraka.faults.worker;

import io.ostraka.api.InstanceListener;
import io.ostraka.faults.recorder.Recorder;
import java.util.concurrent.TimeUnit;

/** What a worker does before its first work: it takes its time, and fails at first in every third of them. */
final class Preparation implements InstanceListener {
    private static final int MOST_MILLIS = 600;

    private final Recorder recorder;
    private final int chance;
    private boolean failed;

    /**
     * Makes it.
     *
     * @param chance decides how it goes
     */
    Preparation(Recorder recorder, int chance) {
        this.recorder = recorder;
        this.chance = chance;
    }

    @Override
    public void beforeWork() throws InterruptedException {
        recorder.prepared(false);
        TimeUnit.MILLISECONDS.sleep(Math.floorMod(chance, MOST_MILLIS));
        if (!failed && Math.floorMod(chance, 3) == 0) {
            failed = true;
            throw new IllegalStateException("fails on purpose");
        }
        recorder.prepared(true);
    }
}
