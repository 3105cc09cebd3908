package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * The backfill of a job, as read from ZooKeeper.
 *
 * @param job name of the job
 * @param value the backfill; null if there is none, or if the node is damaged
 * @param damage description of the damage; null if the node is readable or missing
 */
public record BackfillView(String job, @Nullable Versioned<Backfill> value, @Nullable UnreadableNode damage) {
    /** Returns the transaction that wrote the backfill; 0 if there is no readable backfill. */
    public long mzxid() {
        return value == null ? 0 : value.mzxid();
    }
}
