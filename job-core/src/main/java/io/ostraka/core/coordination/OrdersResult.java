package io.ostraka.core.coordination;

import io.ostraka.core.model.Orders;

/** Result of a change of the operators' orders for the namespace. */
public sealed interface OrdersResult {
    /**
     * The change was made.
     *
     * @param mzxid transaction that made the change
     */
    record Changed(Orders now, long mzxid) implements OrdersResult {}

    /** Nothing was changed, because the same request was made before or the value is already as requested. */
    record Unchanged(Orders present, long mzxid) implements OrdersResult {}

    /** Nothing was changed, because the value is not the one that the caller saw. */
    record Conflict(Orders present, long mzxid) implements OrdersResult {}

    /** The answer was lost, so the change may or may not have been made. The same request can be made again. */
    record Unknown() implements OrdersResult {}
}
