package io.ostraka.api;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The beginning or the end of an alarm. The leader sends it to the log and to every {@link AlarmHandler}, at least
 * once.
 *
 * @param id id of the alarm. The message about its beginning and the message about its end have the same id, and so do
 *     repeated messages. The id and {@code state} together identify a message, so a receiver can detect a repetition
 * @param namespace namespace of the application
 * @param job name of the job; null if the alarm concerns the whole namespace
 * @param kind kind of the alarm
 * @param state beginning or end
 * @param since start of the problem, for example the time at which the missed fire was due
 * @param at time, by ZooKeeper's clock, at which the leader found the beginning or the end of the problem
 * @param text description of the problem, for people
 * @param items keys of the affected items, at most {@value #MOST_ITEMS}; empty if the alarm does not concern individual
 *     items
 * @param itemCount total number of affected items, including those that {@code items} omits
 * @param labels labels of the job, such as {@code owner} and {@code runbook}; sorted by key
 */
public record Alarm(
        String id,
        String namespace,
        @Nullable String job,
        AlarmKind kind,
        State state,
        Instant since,
        Instant at,
        String text,
        List<String> items,
        int itemCount,
        Map<String, String> labels) {
    /** Largest number of items in an alarm. */
    public static final int MOST_ITEMS = 10;

    /** State of a problem that an alarm reports. */
    public enum State {
        /** The problem has lasted longer than its limit. */
        FIRING,
        /** The problem has ended. */
        RESOLVED
    }

    /** Copies the collections. */
    public Alarm {
        items = List.copyOf(items);
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    }

    /** Returns a key that is the same for all repetitions of this message, and different for all other messages. */
    public String idempotencyKey() {
        return id + "/" + state;
    }

    /** Returns {@code alarm-firing} or {@code alarm-resolved}, for formats that other systems read. */
    public String event() {
        return state == State.FIRING ? "alarm-firing" : "alarm-resolved";
    }

    /**
     * Returns a text that names the job, such as {@code job 'settle-orders'}, or the namespace if the alarm concerns no
     * job.
     */
    public String subject() {
        return job == null ? "namespace '" + namespace + "'" : "job '" + job + "'";
    }

    /** Returns the alarm in one line, for people. */
    public String line() {
        return state == State.FIRING
                ? kind + ": " + subject() + ": " + text
                : kind + " has ended: " + subject() + "; it began at " + since;
    }
}
