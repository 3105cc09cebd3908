package io.ostraka.core.model;

import io.ostraka.api.CoordinationException;
import org.jspecify.annotations.Nullable;

/**
 * The operators' orders for the namespace, as read from ZooKeeper.
 *
 * @param value the orders; null if no operator has given an order yet, or if the node is damaged
 * @param damage description of the damage; null if the node is readable or missing
 */
public record OrdersView(@Nullable Versioned<Orders> value, @Nullable UnreadableNode damage) {
    /**
     * Returns the orders.
     *
     * @throws IllegalStateException if the node is damaged
     */
    public Orders orders() {
        if (damage != null) {
            throw new IllegalStateException(damage.text());
        }
        return value == null ? Orders.NONE : value.value();
    }

    /**
     * Checks that a command can change the orders.
     *
     * @throws CoordinationException if the node is damaged
     */
    public void requireReadable() {
        if (damage != null) {
            throw new CoordinationException(damage.text(
                    "it holds operators' orders, so it is not replaced. The leader restores the last readable"
                            + " state if it has one; otherwise correct or delete the node"));
        }
    }

    /** Returns the transaction that wrote the orders; 0 if there are no readable orders. */
    public long mzxid() {
        return value == null ? 0 : value.mzxid();
    }
}
