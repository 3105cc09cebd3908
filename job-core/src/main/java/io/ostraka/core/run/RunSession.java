package io.ostraka.core.run;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import java.time.Instant;
import java.util.Optional;

/** Requests of a run to the instance that claimed it. Thread-safe. Called on worker threads, which it may block. */
public interface RunSession {
    /** Returns the reason why, by its own clock, this instance may have lost its items; empty while it has them. */
    Optional<String> doubt();

    /**
     * Reads an item's checkpoint.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<byte[]> checkpoint(String job, String item);

    /**
     * Saves an item's checkpoint if its record still has the given version.
     *
     * @return whether the checkpoint was saved
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Returns the time of ZooKeeper's clock. */
    Instant now();

    /** Returns the zone of the instance; empty if none is set. */
    String zone();

    /**
     * Reads the last progress that an item's run reported.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<Progress> progress(String job, String item);

    /** Writes the progress of an item's run if its record still has the given version. Does not wait, and may fail silently. */
    void saveProgress(String job, String item, int recordVersion, Progress progress);
}
