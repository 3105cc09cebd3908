package io.ostraka.faults.worker;

import io.ostraka.api.InstanceListener;
import io.ostraka.faults.recorder.Recorder;
import java.util.concurrent.TimeUnit;

/**
 * The preparation that a worker makes before its first item. It takes some time, and in one of three workers its first
 * attempt fails.
 */
final class Preparation implements InstanceListener {
    private static final int MOST_MILLIS = 600;

    private final Recorder recorder;
    private final int chance;
    private boolean failed;

    /**
     * Creates a preparation.
     *
     * @param chance number that determines the duration, and whether the preparation fails
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
