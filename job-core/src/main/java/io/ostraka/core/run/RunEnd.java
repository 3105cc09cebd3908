package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Result of a run.
 *
 * @param outcome succeeded, failed, timed out or cancelled
 * @param error short description of the failure; null if the run succeeded
 * @param idle true if the run found no work
 */
public record RunEnd(ItemOutcome outcome, @Nullable String error, boolean idle) {
    static RunEnd succeeded(boolean idle) {
        return new RunEnd(ItemOutcome.SUCCEEDED, null, idle);
    }

    static RunEnd failed(Throwable cause) {
        return new RunEnd(ItemOutcome.FAILED, text(cause), false);
    }

    /**
     * Returns the description of an exception. If {@code toString}, which may be user code, throws an exception,
     * returns only the class name.
     */
    static String text(Throwable cause) {
        try {
            return String.valueOf(cause);
        } catch (Throwable e) { // user code may throw anything
            return cause.getClass().getName();
        }
    }
}
