package io.ostraka.bench;

import java.time.Duration;
import java.time.Instant;

/**
 * A scheduler whose fires are timed, in a process of its own, without anything to ask over the network. Its class needs a
 * constructor without parameters.
 */
interface TimedScheduler {
    Duration PERIOD = Duration.ofSeconds(1);

    /**
     * Schedules jobs that fire once in each {@link #PERIOD}, for ever, and returns when they are scheduled.
     *
     * @param load how many, and when
     * @param body what each fire does
     */
    void schedule(Load load, Body body) throws Exception;

    /**
     * What is scheduled.
     *
     * @param jobs how many
     * @param threads that run their bodies
     * @param first when the first of them fires first; not before all are scheduled
     * @param apart by how much each job fires later than the one before
     */
    record Load(int jobs, int threads, Instant first, Duration apart) {
        /** When a job fires first. */
        Instant first(int job) {
            return first.plus(apart.multipliedBy(job));
        }
    }

    /** What each fire does: the same for all schedulers. */
    interface Body {
        /**
         * Takes note that a fire has started.
         *
         * @param job its number
         * @param scheduled when it was to
         */
        void ran(int job, Instant scheduled);
    }
}
