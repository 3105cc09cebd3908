package io.ostraka.api.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much is under way in a process.
 *
 * @param slots slots for runs, by the name of their pool: {@code quick} and {@code slow}, and {@code tasks} for child tasks
 * @param workers the threads that users' code runs on
 * @param lanes the serial queues of jobs and of the engine
 * @param laneThreads the threads that those run on
 * @param events the events on their way to subscribers
 */
public record Load(Map<String, Slots> slots, Workers workers, Lanes lanes, Pool laneThreads, Events events) {
    /** Sorts the pools of slots by name. */
    public Load {
        slots = Collections.unmodifiableMap(new TreeMap<>(slots));
    }

    /**
     * The slots of one pool.
     *
     * @param size how many there are
     * @param taken how many are taken
     * @param largestTaken how many were taken at once at most
     * @param waiting number of jobs, retries and runs with tasks that wait for a slot
     * @param completed number of slots that were released
     */
    public record Slots(int size, int taken, int largestTaken, int waiting, long completed) {}

    /**
     * Threads for users' code; there are as many as are active, and those that were until a moment ago. Nothing waits for
     * one.
     *
     * @param active how many run something
     * @param largest how many did at once at most
     * @param completed how often one has run something
     * @param poolSize how many there are
     * @param largestPoolSize how many there were at once at most
     */
    public record Workers(int active, int largest, long completed, int poolSize, int largestPoolSize) {}

    /**
     * A pool of threads.
     *
     * @param active how many run something
     * @param queued how many tasks wait for one
     * @param completed how many tasks have ended
     * @param size how many threads there are
     * @param largestSize how many there were at once at most
     */
    public record Pool(int active, int queued, long completed, int size, int largestSize) {
        /** Where there are no threads of its own. */
        public static final Pool NONE = new Pool(0, 0, 0, 0, 0);
    }

    /**
     * Serial queues, without threads of their own.
     *
     * @param active how many have something to do
     * @param queued how many tasks wait in all of them
     * @param longest how many tasks waited in one of them at most
     * @param completed how many tasks have ended
     */
    public record Lanes(int active, long queued, int longest, long completed) {}

    /**
     * Events on their way to the application's {@linkplain io.ostraka.api.event.EventSubscriber subscribers}.
     *
     * @param waiting number of events in the queues
     * @param dropped number of events that a full queue has refused since the instance began
     */
    public record Events(int waiting, long dropped) {
        /** No subscribers. */
        public static final Events NONE = new Events(0, 0);
    }
}
