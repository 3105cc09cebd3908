package io.ostraka.bench;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler that is measured in a process of its own. An implementation needs a constructor without parameters. This
 * interface uses only classes of the JDK, so that each scheduler runs with only its own dependencies.
 */
public interface Contender extends AutoCloseable {
    /** Used instead of a cron expression, for a job that runs only when it is triggered. */
    String ON_DEMAND = "on demand";
    /**
     * Used instead of a cron expression, for a job whose first run starts at once. At the end of each run, the
     * scheduler starts the next run as fast as it can.
     */
    String BACK_TO_BACK = "back to back";
    /**
     * Used instead of a cron expression, for a job whose runs are all triggered: the first run at once, and each later
     * run at the end of the previous run.
     */
    String TRIGGERED = "triggered";

    /**
     * Schedules jobs, and returns when the scheduler reports that their next fires will run.
     *
     * @param load jobs, servers and namespace
     * @param work work of each item
     */
    void schedule(Load load, Work work) throws Exception;

    /** Triggers a job that is scheduled on demand. Returns when the scheduler has accepted the trigger. */
    void trigger(String job) throws Exception;

    /**
     * Creates, plans and removes the jobs with numbers from {@code from} to {@code to - 1}. Called for this library
     * only.
     */
    default void comeAndGo(int from, int to) throws Exception {
        throw new UnsupportedOperationException();
    }

    /** Purges the removed jobs with numbers from {@code from} to {@code to - 1}. Called for this library only. */
    default void purge(int from, int to) throws Exception {
        throw new UnsupportedOperationException();
    }

    /** Shuts down gracefully, as an application does, and waits for the end of the shutdown. */
    default void leave() throws Exception {
        close();
    }

    /** Ends the session, so that the session does not affect the next measurement. */
    @Override
    void close() throws Exception;

    /** Returns the name of the job with the given number. */
    static String name(int job) {
        return "job-" + job;
    }

    /**
     * The jobs to schedule.
     *
     * @param servers ZooKeeper's connect string, for schedulers that use it
     * @param namespace namespace that only this run uses
     * @param session session timeout; null for the scheduler's default
     * @param jobs all jobs
     * @param instances number of instances in the process; more than one for this library only
     */
    record Load(String servers, String namespace, @Nullable Duration session, List<Job> jobs, int instances) {
        /** Copies the list. */
        public Load {
            jobs = List.copyOf(jobs);
        }
    }

    /**
     * A job that is scheduled with failover.
     *
     * @param when a cron expression in UTC, {@link #ON_DEMAND}, {@link #BACK_TO_BACK} or {@link #TRIGGERED}
     */
    record Job(String name, int items, String when) {}

    /** The work of an item, the same for all items, jobs and contenders. */
    interface Work {
        /**
         * Runs an item once. Throws an exception if the run was cancelled, or if the item now belongs to another run.
         */
        void run(ItemRun run) throws Exception;
    }

    /**
     * A run of an item, with the values that the scheduler passes to its code.
     *
     * @param fire fire in milliseconds since 1970; 0 if the scheduler does not pass it
     * @param token fencing token; 0 if the scheduler has none
     */
    record ItemRun(String job, int item, long fire, long token) {
        /** Creates a run for a scheduler that passes neither a fire nor a token. */
        public ItemRun(String job, int item) {
            this(job, item, 0, 0);
        }
    }
}
