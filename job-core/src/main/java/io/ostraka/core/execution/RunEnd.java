package io.ostraka.core.execution;

import io.ostraka.api.ItemOutcome;
import org.jspecify.annotations.Nullable;

/**
 * How a run of an item ended, as its code tells.
 *
 * @param outcome succeeded or failed
 * @param error short text of the failure; null when it succeeded
 */
public record RunEnd(ItemOutcome outcome, @Nullable String error) {
    static final RunEnd SUCCEEDED = new RunEnd(ItemOutcome.SUCCEEDED, null);

    static RunEnd failed(Throwable cause) {
        return new RunEnd(ItemOutcome.FAILED, text(cause));
    }

    /** What a cause says of itself; it may be of a class of the user's, whose own code may throw in turn. */
    static String text(Throwable cause) {
        try {
            return String.valueOf(cause);
        } catch (Throwable e) { // users' code
            return cause.getClass().getName();
        }
    }
}
