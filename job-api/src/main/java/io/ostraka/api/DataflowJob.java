package io.ostraka.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that fetches a batch of data and then processes it. By default a run does this once. With {@link
 * JobConfiguration#streaming()} a run repeats both steps until a fetch returns no data, the run is cancelled, the item
 * is about to move to another instance, or the instance shuts down.
 *
 * @param <T> type of the fetched elements
 */
public interface DataflowJob<T> extends Job {
    /**
     * Fetches the next batch for one item, on a worker thread.
     *
     * @param context the item and its fire
     * @return the batch; null or an empty list ends the run
     * @throws Exception any exception; the item fails with this exception
     */
    @Nullable List<T> fetchData(ShardingContext context) throws Exception;

    /**
     * Processes the batch that {@link #fetchData} has just returned, on the same thread.
     *
     * @param context the item and its fire
     * @param data the batch, never empty
     * @throws Exception any exception; the item fails with this exception
     */
    void processData(ShardingContext context, List<T> data) throws Exception;
}
