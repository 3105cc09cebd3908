package io.ostraka.core.coordination;

import io.ostraka.core.model.Wanted;

/** Result of a change of the operators' orders for the namespace. */
public sealed interface WantedResult {
    /**
     * The change was made.
     *
     * @param mzxid transaction that made the change
     */
    record Changed(Wanted now, long mzxid) implements WantedResult {}

    /** Nothing was changed, because the same request was made before or the value is already as requested. */
    record Unchanged(Wanted present, long mzxid) implements WantedResult {}

    /** Nothing was changed, because the value is not the one that the caller saw. */
    record Conflict(Wanted present, long mzxid) implements WantedResult {}

    /** The answer was lost, so the change may or may not have been made. The same request can be made again. */
    record Unknown() implements WantedResult {}
}
