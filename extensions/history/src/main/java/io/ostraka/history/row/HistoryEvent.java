package io.ostraka.history.row;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event of a job or an instance apart from its runs, such as a new plan or a takeover.
 *
 * @param kind kind of the event
 * @param at time of the event by the instance's clock
 * @param instance id of the instance that reports it
 * @param job name of the job; null if the event concerns the whole instance
 * @param item key of the item; null if the event concerns the whole job
 * @param detail details for people, at most {@value #LONGEST_DETAIL} characters; empty if there are none
 */
public record HistoryEvent(
        Kind kind, Instant at, String instance, @Nullable String job, @Nullable String item, String detail)
        implements Row {
    /** Largest length of {@code detail}, in characters. */
    public static final int LONGEST_DETAIL = 2_000;

    /** Kinds of events. */
    public enum Kind {
        /** The leader assigned the items of a job to instances. */
        PLAN_CHANGED,
        /** An instance took over an interrupted fire. */
        TAKEN_OVER,
        /** A run lost its item while its code may still have been running. */
        FENCED,
        /** An instance became the leader or is no longer the leader. */
        LEADER_CHANGED,
        /** An alarm has begun. The job is null if the alarm concerns the namespace. */
        ALARM_BEGUN,
        /** An alarm has ended. */
        ALARM_ENDED,
        /** The level of a job's history on an instance; the detail is the level. */
        LEVEL,
        /** An operator released a quarantined item. */
        ITEM_RELEASED,
        /** An operator set back a cursor from the future. */
        CURSOR_SET_BACK,
        /** An operator changed settings of a job. */
        OVERRIDE_CHANGED,
        /** An operator purged a removed job. */
        JOB_PURGED,
        /**
         * A kind that a later version of the library has added. Only a row of the database has it; its detail begins with
         * the name of the kind.
         */
        OTHER
    }

    /** Shortens the detail. */
    public HistoryEvent {
        detail = detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL);
    }
}
