package io.ostraka.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that fetches data and processes it. In one pass it does both once; when {@link JobConfiguration#streaming()} is
 * set it repeats until a fetch returns nothing, the item moves away, is cancelled or the instance shuts down.
 *
 * @param <T> what is fetched and processed
 */
public interface DataflowJob<T> extends Job {
    /**
     * Fetches the next batch of one item, on a worker thread.
     *
     * @param context what to work on
     * @return the batch; null or empty ends the run
     * @throws Exception anything; it becomes this item's failure
     */
    @Nullable List<T> fetchData(ShardingContext context) throws Exception;

    /**
     * Processes a batch that {@link #fetchData} has just returned, on the same thread.
     *
     * @param context what to work on
     * @param data the batch, never empty
     * @throws Exception anything; it becomes this item's failure
     */
    void processData(ShardingContext context, List<T> data) throws Exception;
}
