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
        return new RunEnd(ItemOutcome.FAILED, cause.toString());
    }
}
