package io.ostraka.bench;

import java.time.Duration;
import java.time.Instant;

/**
 * A scheduler whose fires are measured in a process of its own, without network requests. The class needs a constructor
 * without parameters.
 */
interface TimedScheduler {
    Duration PERIOD = Duration.ofSeconds(1);

    /**
     * Schedules jobs that fire once in each {@link #PERIOD} until the process ends. Returns when they are scheduled.
     *
     * @param load number and times of the jobs
     * @param body code of each fire
     */
    void schedule(Load load, Body body) throws Exception;

    /**
     * The jobs to schedule.
     *
     * @param jobs number of jobs
     * @param threads number of threads that run the job bodies
     * @param first first fire of the first job, at a time when all jobs are scheduled
     * @param apart time between the fires of two successive jobs
     */
    record Load(int jobs, int threads, Instant first, Duration apart) {
        /** Returns the first fire of a job. */
        Instant first(int job) {
            return first.plus(apart.multipliedBy(job));
        }
    }

    /** The code of each fire, the same for all schedulers. */
    interface Body {
        /**
         * Records the start of a fire.
         *
         * @param job number of the job
         * @param scheduled scheduled time of the fire
         */
        void ran(int job, Instant scheduled);
    }
}
