package io.ostraka.api;

/** A job whose work for one item is one call. */
@FunctionalInterface
public interface SimpleJob extends Job {
    /**
     * Runs one item of one fire. Called on a worker thread, once per item and fire; several items at a time.
     *
     * @param context what to work on; valid until this call returns
     * @throws Exception anything, {@code Error} included; it becomes this item's failure and disturbs no other item
     */
    void execute(ShardingContext context) throws Exception;
}
