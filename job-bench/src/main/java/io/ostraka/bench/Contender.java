package io.ostraka.bench;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler that is measured, in a process of its own. Its class needs a constructor without parameters. It names no
 * class but those of the scheduler and of Java, so that each runs with nothing but its own dependencies.
 */
public interface Contender extends AutoCloseable {
    /** Instead of a cron expression: only when triggered. */
    String ON_DEMAND = "on demand";
    /** Instead of a cron expression: again at each end, as fast as the scheduler can, from the beginning. */
    String BACK_TO_BACK = "back to back";
    /** Instead of a cron expression: triggered by hand once the run before has ended, from the beginning. */
    String TRIGGERED = "triggered";

    /**
     * Schedules jobs, and returns when the scheduler says that their next fires will be run.
     *
     * @param load which jobs, and where
     * @param work what each item does
     */
    void schedule(Load load, Work work) throws Exception;

    /** Asks for one more execution of a job that is scheduled on demand; returns when the scheduler has taken note. */
    void trigger(String job) throws Exception;

    /** Jobs of these numbers come and go: each is created, planned, and removed again. Asked of this library alone. */
    default void comeAndGo(int from, int to) throws Exception {
        throw new UnsupportedOperationException();
    }

    /** Leaves nothing of the jobs of these numbers, which were removed. Asked of this library alone. */
    default void purge(int from, int to) throws Exception {
        throw new UnsupportedOperationException();
    }

    /** Leaves the cluster in good order and waits for that, as an application's shutdown does. */
    default void leave() throws Exception {
        close();
    }

    /** Ends its session, so that nothing of it weighs on who is measured next. */
    @Override
    void close() throws Exception;

    /** Returns the name of the job of a number, where jobs have no name of their own. */
    static String name(int job) {
        return "job-" + job;
    }

    /**
     * What is scheduled.
     *
     * @param servers ZooKeeper's, for those who coordinate by it
     * @param namespace of this run alone
     * @param session timeout of the session; null for the scheduler's own default
     * @param jobs all of them
     * @param instances in the process: more than one for this library alone
     */
    record Load(String servers, String namespace, @Nullable Duration session, List<Job> jobs, int instances) {
        /** Copies. */
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

    /** What each item of each job does: the same for all contenders. */
    interface Work {
        /** Runs an item once; throws when the run was told to end, or finds that the item is another's by now. */
        void run(ItemRun run) throws Exception;
    }

    /**
     * A run of an item, as far as the scheduler tells its code.
     *
     * @param fire which fire it belongs to, in milliseconds since 1970; 0 if the scheduler doesn't say
     * @param token the fencing token; 0 if the scheduler has none
     */
    record ItemRun(String job, int item, long fire, long token) {
        /** Of a scheduler that tells its code neither a fire nor a token. */
        public ItemRun(String job, int item) {
            this(job, item, 0, 0);
        }
    }
}
