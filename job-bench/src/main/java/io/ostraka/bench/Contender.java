package io.ostraka.bench;

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

    /** Ends its session, so that nothing of it weighs on who is measured next. */
    @Override
    void close() throws Exception;

    /** The name of the job of a number. */
    static String name(int job) {
        return "job-" + job;
    }

    /**
     * What is scheduled.
     *
     * @param servers ZooKeeper's, for those who coordinate by it
     * @param namespace of this run alone
     * @param jobs how many, named by {@link #name}
     * @param items of each
     * @param when all of them: a cron expression, {@link #ON_DEMAND}, {@link #BACK_TO_BACK} or {@link #TRIGGERED}
     * @param instances in the process: more than one for this library alone
     */
    record Load(String servers, String namespace, int jobs, int items, String when, int instances) {
        /** Of one instance a process, as applications have it. */
        public Load(String servers, String namespace, int jobs, int items, String when) {
            this(servers, namespace, jobs, items, when, 1);
        }
    }

    /** What each item of each job does: the same for all contenders. */
    interface Work {
        /** Takes note that an item's code has begun; returns when its work is done. */
        void run(String job, int item);
    }
}
