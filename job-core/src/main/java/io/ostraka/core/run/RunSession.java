package io.ostraka.core.run;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import java.time.Instant;
import java.util.Optional;

/** What a run may ask of the instance that claimed it. Thread-safe; called on worker threads, which it may hold up. */
public interface RunSession {
    /**
     * Returns why this instance can no longer be sure that its items are its own, by its own clock; empty while it can.
     */
    Optional<String> doubt();

    /**
     * Reads an item's checkpoint.
     *
     * @throws CoordinationException when there is no answer within the session timeout
     */
    Optional<byte[]> checkpoint(String job, String item);

    /**
     * Saves an item's checkpoint if its record still has a version.
     *
     * @return whether it was saved
     * @throws CoordinationException when there is no answer within the session timeout
     */
    boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Returns the time by ZooKeeper's clock. */
    Instant now();

    /** Returns where the instance runs; empty text when that isn't set. */
    String zone();

    /**
     * Reads how far an item's run said last that it was.
     *
     * @throws CoordinationException when there is no answer within the session timeout
     */
    Optional<Progress> progress(String job, String item);

    /** Has it written how far an item's run is, if its record still has a version. Waits for nothing, and may fail. */
    void saveProgress(String job, String item, int recordVersion, Progress progress);
}
