package io.ostraka.bench.compare;

import java.time.Duration;
import java.util.List;

/**
 * A scheduler that is compared, in a worker process. Its class needs a constructor without parameters. It names no class
 * but those of the scheduler and of Java, so that each runs with nothing but its own dependencies.
 */
public interface Contender {
    /**
     * Joins a cluster and schedules jobs, with failover; all else as the scheduler has it when nothing is said.
     *
     * @param servers ZooKeeper's
     * @param namespace of this cluster alone
     * @param body what each item of each job does
     * @return leaves the cluster in good order when it is closed, and waits for that
     */
    AutoCloseable join(String servers, String namespace, Duration session, List<RecurringJob> jobs, Body body)
            throws Exception;

    /** What each item of each job does: the same for all contenders. */
    interface Body {
        /** Runs an item once; throws when it was told to end, or finds that the item is another's by now. */
        void run(ItemRun run) throws Exception;
    }

    /**
     * A run of an item, as far as the scheduler tells its code.
     *
     * @param fire which fire it belongs to, in milliseconds since 1970; 0 if the scheduler doesn't say
     * @param token the fencing token; 0 if the scheduler has none
     */
    record ItemRun(String job, int item, long fire, long token) {}
}
