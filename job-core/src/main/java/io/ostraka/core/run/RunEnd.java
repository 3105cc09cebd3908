package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import org.jspecify.annotations.Nullable;

/**
 * How a run of an item ended, as its code tells.
 *
 * @param outcome succeeded, failed, timed out or cancelled
 * @param error short text of what went wrong; null when it succeeded
 * @param idle whether it found nothing to do
 */
public record RunEnd(ItemOutcome outcome, @Nullable String error, boolean idle) {
    static RunEnd succeeded(boolean idle) {
        return new RunEnd(ItemOutcome.SUCCEEDED, null, idle);
    }

    static RunEnd failed(Throwable cause) {
        return new RunEnd(ItemOutcome.FAILED, text(cause), false);
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
