package io.ostraka.faults.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claim that the server has applied, and its fate.
 *
 * @param nonce unique identifier of the claim
 * @param fire identity of the fire, as user code sees it
 * @param owner id of the instance that made the claim
 * @param number position of the claim among all claims of the item
 * @param triggered true for a manual trigger
 * @param cursorBefore cursor of the record at the claim
 * @param cursorAfter cursor of the record after the decision; before the decision, the same as {@code cursorBefore}
 * @param decision fate of the claim
 * @param outcome outcome in the record; empty unless the fire has ended under this claim
 * @param reporter process that decided the claim, in the form {@code name@pid}; null before the decision, or if unknown
 *     is not known
 */
public record RecordedClaim(
        Item item,
        String nonce,
        String fire,
        String owner,
        long number,
        boolean triggered,
        Instant cursorBefore,
        Instant cursorAfter,
        Decision decision,
        String outcome,
        @Nullable String reporter) {
    /** Fate of a claim. */
    public enum Decision {
        /** The fire still runs under this claim, or a change of the item count has ended it. */
        NONE,
        /** The owner has recorded the end of the fire. */
        ENDED,
        /** The owner has handed the fire over to another instance. */
        HANDED_OVER,
        /** The end of the fire was recorded after the owner had lost the item or had handed the fire over. */
        LOST,
        /** Another instance has claimed the fire, although the owner has not handed it over. */
        TAKEN_OVER
    }

    RecordedClaim decided(Decision what, String result, Instant cursor, @Nullable String by) {
        return new RecordedClaim(item, nonce, fire, owner, number, triggered, cursorBefore, cursor, what, result, by);
    }

    /** Returns the process that an instance belongs to. */
    static String process(String instance) {
        return instance.substring(0, instance.lastIndexOf('@'));
    }

    @Override
    public String toString() {
        return "claim " + number + " of " + item + " (" + nonce + "), fire " + fire + " on " + owner + ": " + decision
                + (outcome.isEmpty() ? "" : " as " + outcome) + (reporter == null ? "" : ", recorded by " + reporter);
    }
}
