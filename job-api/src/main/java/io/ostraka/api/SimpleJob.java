package io.ostraka.api;

/** A job that processes each item in one call. */
@FunctionalInterface
public interface SimpleJob extends Job {
    /**
     * Runs one item of one fire. The engine calls this method on a worker thread, once for each attempt. It can call
     * the method for several items at the same time.
     *
     * @param context the item and its fire; valid until this call returns
     * @throws Exception any exception, including an {@code Error}; the item fails with it, and other items are not
     *     affected
     */
    void execute(ShardingContext context) throws Exception;
}
