package io.ostraka.bench;

/**
 * A scheduler that is measured, in a process of its own. Its class needs a constructor without parameters. It names no
 * class but those of the scheduler and of Java, so that each runs with nothing but its own dependencies.
 */
public interface Contender {
    /**
     * Schedules jobs, each with the same number of items and the same cron expression, and returns when the scheduler says
     * that they are scheduled.
     *
     * @param servers ZooKeeper's, for those who coordinate by it
     * @param namespace of this run alone
     * @param jobs how many, named by {@link #name}
     * @param work what each item does
     */
    void schedule(String servers, String namespace, int jobs, int items, String cron, Work work) throws Exception;

    /** The name of the job of a number. */
    static String name(int job) {
        return "job-" + job;
    }

    /** What each item of each job does: the same for all contenders. */
    interface Work {
        /** Takes note that an item ran. */
        void run(String job);
    }
}
