package io.ostraka.core.instance;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the operators' orders for the namespace: a freeze, and drains of instances. The orders decide whether items
 * may start in this instance, and whether the instance is drained. This class reads the orders on each connection and
 * after each change, so that the start of a fire needs no request. While the node of the orders is unreadable, the last
 * readable orders stay in effect. Until the first successful read, no item starts and the instance is drained. Confined
 * to the instance's executor, except for the methods that say otherwise.
 */
final class OrdersState {
    private static final Logger log = LoggerFactory.getLogger(OrdersState.class);
    /** Description of a drain that the application itself has requested. */
    private static final String BY_APPLICATION = "by its application";

    private final Membership membership;
    private final InstanceExecutor executor;
    private final InstanceHealth health;
    private final InstanceRegistration registration;
    private final Engine engine;

    /** The last readable orders; empty if their node did not exist; null before the first successful read. */
    private @Nullable Optional<Versioned<Orders>> known;

    private boolean drainedHere;
    private boolean reading;
    /** True from each new connection, and from each change of the orders, until the orders were read and have taken effect. */
    private boolean unread;
    /** True if the latest read on this connection has failed. */
    private boolean failed;

    /** True if the orders have been read since the connection began. */
    private boolean current;

    private @Nullable String frozen;
    private volatile @Nullable String drained;
    private volatile boolean startsItems;
    private volatile Instant ordersChanged = Instant.MIN;

    /** Callbacks to the engine of this instance. */
    interface Engine {
        /** Called when items may start again, or may no longer start. */
        void startsChanged();

        /** Called when the instance is drained, or no longer drained. */
        void drainChanged(boolean drained);

        /**
         * Called as the last callback after each read of the orders.
         *
         * @param known the last readable orders; empty if their node did not exist; null if no read has succeeded yet
         */
        void ordersRead(OrdersView read, @Nullable Optional<Versioned<Orders>> known);
    }

    OrdersState(
            Membership membership,
            InstanceExecutor executor,
            InstanceHealth health,
            InstanceRegistration registration,
            Engine engine) {
        this.membership = membership;
        this.executor = executor;
        this.health = health;
        this.registration = registration;
        this.engine = engine;
    }

    /** Called on a new connection. */
    void connected() {
        current = false;
        failed = false;
        changed();
    }

    /** Called when the operators' orders have changed, or when an event about them may have been lost. */
    void changed() {
        unread = true;
        check();
    }

    /** Reads the orders if a read is due, for example because the last read has failed. */
    void check() {
        if (!unread || reading || !registration.connected()) {
            return;
        }
        reading = true;
        unread = false;
        Stages.of(membership::orders)
                .whenComplete((view, error) -> executor.execute(() -> {
                    reading = false;
                    if (error != null) {
                        unread = true; // read again on the next connection, or at the next periodic check
                        boolean again = failed;
                        failed = true;
                        if (again && registration.connected()) { // the first failure may come from a lost connection
                            health.ordersUnreadable("the operators' orders for the namespace cannot be read: "
                                    + Stages.cause(error).getMessage());
                        }
                    } else if (unread) {
                        check(); // the connection or the orders have changed since the read began
                    } else {
                        failed = false;
                        unread = true; // stays true if the next call throws an exception
                        take(view);
                        unread = false;
                    }
                }));
    }

    private void take(OrdersView view) {
        UnreadableNode damage = view.damage();
        if (damage == null) {
            known = Optional.ofNullable(view.value());
            ordersChanged = known.map(Versioned::modified).orElse(Instant.MIN);
        }
        health.ordersUnreadable(
                damage == null
                        ? null
                        : damage.text("correct or delete the node")
                                + (known == null
                                        ? "; operators may have frozen the namespace or drained this instance, so it starts"
                                                + " and gets no items"
                                        : "; the last readable state stays in effect"));
        Orders orders = value();
        String freeze = orders == null
                ? "the operators' orders for the namespace are unreadable"
                : orders.frozen() == null ? null : "frozen " + orders.frozen();
        if (!Objects.equals(freeze, frozen)) {
            log.info(freeze == null ? "the namespace is not frozen; items start" : "no item starts: {}", freeze);
            frozen = freeze;
        }
        health.frozen(freeze);
        boolean starts = freeze == null;
        if (starts != startsItems) {
            startsItems = starts;
            engine.startsChanged();
        }
        current = true;
        drain();
        engine.ordersRead(view, known);
    }

    private @Nullable Orders value() {
        return known == null ? null : known.map(Versioned::value).orElse(Orders.NONE);
    }

    /**
     * Drains this instance on behalf of its application, or ends that drain. An operator's drain is independent of this
     * one.
     */
    void drainHere(boolean now) {
        drainedHere = now;
        drain();
    }

    private void drain() {
        Orders orders = value();
        String byOperator = orders == null
                ? current ? "the operators' orders for the namespace are unreadable" : null
                : orders.drains(registration.names())
                        .map(Orders.Order::toString)
                        .orElse(null);
        String now = byOperator != null ? byOperator : drainedHere ? BY_APPLICATION : null;
        if (!Objects.equals(now, drained)) {
            log.info(now == null ? "this instance is no longer drained" : "this instance is drained: {}", now);
        }
        drained = now;
        health.drained(now);
        engine.drainChanged(now != null);
    }

    /**
     * Returns whether the orders have been read since the connection began. Until then, the instance's node is not
     * written.
     */
    boolean current() {
        return current;
    }

    /** Returns whether items may start. May be called on any thread. */
    boolean startsItems() {
        return startsItems;
    }

    /**
     * Returns the time at which the orders have last changed, on the server's clock; {@link Instant#MIN} if there were
     * none. May be called on any thread.
     */
    Instant ordersChangedAt() {
        return ordersChanged;
    }

    /** Returns whether the instance is drained. May be called on any thread. */
    boolean drained() {
        return drained != null;
    }
}
