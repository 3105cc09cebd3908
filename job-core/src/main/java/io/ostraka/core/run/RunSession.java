package io.ostraka.core.run;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import java.time.Instant;
import java.util.Optional;

/** Serves the requests of user code in a run. Thread-safe. Methods are called on worker threads and may block them. */
public interface RunSession {
    /**
     * Returns the reason why this instance may have lost its items, judged by the local clock; empty if the instance
     * still owns them.
     */
    Optional<String> doubt();

    /**
     * Reads the checkpoint of an item.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<byte[]> checkpoint(String job, String item);

    /**
     * Saves the checkpoint of an item if the item's record still has the given version.
     *
     * @return true if the checkpoint was saved
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout, or refuses the write
     */
    boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Returns the current time of ZooKeeper's clock. */
    Instant now();

    /** Returns the zone of this instance; empty if no zone is set. */
    String zone();

    /**
     * Reads the latest progress that a run of an item reported; empty if there is none.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<Progress> progress(String job, String item);

    /**
     * Writes the progress of an item if the item's record still has the given version. Does not wait for the reply; a
     * failure is only logged.
     */
    void saveProgress(String job, String item, int recordVersion, Progress progress);
}
