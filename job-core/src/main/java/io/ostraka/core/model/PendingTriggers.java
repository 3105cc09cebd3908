package io.ostraka.core.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Manual triggers of a job that have not ended.
 *
 * @param delayed triggers that are not due yet, earliest first
 * @param waiting due triggers whose fires have not ended, oldest first
 * @param unreadable triggers that this version cannot read
 */
public record PendingTriggers(
        List<Versioned<DelayedTrigger>> delayed, List<Pending> waiting, List<UnreadableTrigger> unreadable) {
    /** Copies the lists. */
    public PendingTriggers {
        delayed = List.copyOf(delayed);
        waiting = List.copyOf(waiting);
        unreadable = List.copyOf(unreadable);
    }

    /**
     * A trigger that has not ended.
     *
     * @param progress progress of its fire; null if the fire has not begun, or if its progress is unreadable
     */
    public record Pending(Trigger trigger, @Nullable FireProgress progress) {}
}
