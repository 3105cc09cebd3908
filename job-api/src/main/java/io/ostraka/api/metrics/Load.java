package io.ostraka.api.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Current load of an instance. Immutable.
 *
 * @param slots pools of slots by name: {@code slow} for items of jobs with many long runs, {@code quick} for items of
 *     all other jobs, and {@code tasks} for child tasks
 * @param workers threads that run users' code
 * @param serialExecutors serial executors of jobs and of the engine
 * @param engineThreads threads that run the tasks of serial executors
 * @param events events that wait for subscribers
 */
public record Load(
        Map<String, Slots> slots, Workers workers, SerialExecutors serialExecutors, Pool engineThreads, Events events) {
    /** Sorts the pools of slots by name. */
    public Load {
        slots = Collections.unmodifiableMap(new TreeMap<>(slots));
    }

    /**
     * One pool of slots. A slot is the permission to run one item or one child task.
     *
     * @param size number of slots
     * @param taken number of slots that are taken
     * @param largestTaken largest number of slots that were taken at the same time
     * @param waiting number of requests that wait for a slot. Each request comes from a job, from a retry, or from a
     *     run with child tasks
     * @param completed number of times that a slot was released
     */
    public record Slots(int size, int taken, int largestTaken, int waiting, long completed) {}

    /**
     * Threads for users' code. The number of threads grows with the number of tasks, so no task waits for a thread.
     * Threads without a task end after a short time.
     *
     * @param active number of threads that run a task
     * @param largest largest number of threads that ran tasks at the same time
     * @param completed number of tasks that have ended
     * @param poolSize number of threads
     * @param largestPoolSize largest number of threads that existed at the same time
     */
    public record Workers(int active, int largest, long completed, int poolSize, int largestPoolSize) {}

    /**
     * A pool of threads.
     *
     * @param active number of threads that run a task
     * @param queued number of tasks that wait for a thread
     * @param completed number of tasks that have ended
     * @param size number of threads
     * @param largestSize largest number of threads that existed at the same time
     */
    public record Pool(int active, int queued, long completed, int size, int largestSize) {
        /** A pool without threads. */
        public static final Pool NONE = new Pool(0, 0, 0, 0, 0);
    }

    /**
     * Serial executors, each of which runs its tasks one after the other, on the threads of {@link Load#engineThreads}.
     *
     * @param active number of executors that have waiting or running tasks
     * @param queued total number of waiting tasks in all executors
     * @param longest largest number of tasks that ever waited in one executor
     * @param completed number of tasks that have ended
     */
    public record SerialExecutors(int active, long queued, int longest, long completed) {}

    /**
     * Events that wait for the application's {@linkplain io.ostraka.api.event.EventSubscriber subscribers}.
     *
     * @param waiting number of events in the queues
     * @param dropped number of events that have been dropped since the start of the instance, because a queue was full
     */
    public record Events(int waiting, long dropped) {
        /** The figures of an instance without subscribers. */
        public static final Events NONE = new Events(0, 0);
    }
}
