package io.ostraka.core.model;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operators' orders for a whole namespace, as opposed to one job.
 *
 * @param frozen order that keeps all items from starting; null if the namespace is not frozen
 * @param drained orders that drain instances, so that the instances get no items. The key is an instance's name or id,
 *     or a host. The instance does not need to exist
 * @param requests ids of the latest requests that changed this value, oldest first; a repeated request has no effect
 */
public record Orders(@Nullable Order frozen, Map<String, Order> drained, List<String> requests) {
    /** No orders. */
    public static final Orders NONE = new Orders(null, Map.of(), List.of());

    private static final int MOST_REQUESTS = 16;

    public Orders {
        Names.require("drained", drained.keySet());
        Names.require("request", requests);
        drained = Collections.unmodifiableMap(new TreeMap<>(drained));
        requests = List.copyOf(requests.subList(Math.max(0, requests.size() - MOST_REQUESTS), requests.size()));
    }

    /**
     * An operator's order.
     *
     * @param by the operator
     * @param reason the operator's reason; may be empty
     * @param at time of the order
     * @param until time on the server's clock at which the leader revokes the order; null if only another command ends
     *     the order
     */
    public record Order(String by, String reason, Instant at, @Nullable Instant until) {
        /** Checks that the texts contain no control characters, which could forge log lines. */
        public Order {
            Names.requirePrintable("by", Objects.requireNonNull(by, "by"));
            Names.requirePrintable("reason", Objects.requireNonNull(reason, "reason"));
        }

        /** Returns this order; refuses an order that is over when it is given. */
        private Order lasting() {
            if (over(at)) {
                throw new IllegalArgumentException("until is " + until + "; accepted: a time after now, " + at);
            }
            return this;
        }

        private boolean over(Instant now) {
            return until != null && !until.isAfter(now);
        }

        private boolean repeats(@Nullable Order other) {
            return other != null
                    && by.equals(other.by)
                    && reason.equals(other.reason)
                    && Objects.equals(until, other.until);
        }

        /** Describes the order: operator, reason and end. */
        @Override
        public String toString() {
            return "by " + by + (reason.isEmpty() ? "" : " (" + reason + ")")
                    + (until == null ? "" : " until " + until);
        }
    }

    /** A change that an operator requests. */
    public sealed interface Change {
        /**
         * Returns the changed value; an equal value if nothing changes.
         *
         * @throws IllegalArgumentException if the change contains an order that ends before it is given
         */
        Orders apply(Orders present);
    }

    /** Freezes the namespace, so that no item starts on any instance. Replaces an earlier freeze. */
    public record Freeze(Order order) implements Change {
        @Override
        public Orders apply(Orders present) {
            return order.lasting().repeats(present.frozen)
                    ? present
                    : new Orders(order, present.drained, present.requests);
        }
    }

    /** Ends a freeze. */
    public record Thaw() implements Change {
        @Override
        public Orders apply(Orders present) {
            return new Orders(null, present.drained, present.requests);
        }
    }

    /**
     * Drains instances. Replaces an earlier order for the same instance.
     *
     * @param instance an instance's name, its id, or a host
     */
    public record Drain(String instance, Order order) implements Change {
        /** Checks that the instance is a valid name, id or host. */
        public Drain {
            Names.require("drained", instance);
        }

        @Override
        public Orders apply(Orders present) {
            if (order.lasting().repeats(present.drained.get(instance))) {
                return present;
            }
            Map<String, Order> drained = new TreeMap<>(present.drained);
            drained.put(instance, order);
            return new Orders(present.frozen, drained, present.requests);
        }
    }

    /**
     * Ends the drain of instances.
     *
     * @param instance the name, id or host that was drained
     */
    public record Undrain(String instance) implements Change {
        @Override
        public Orders apply(Orders present) {
            Map<String, Order> drained = new TreeMap<>(present.drained);
            drained.remove(instance);
            return new Orders(present.frozen, drained, present.requests);
        }
    }

    /** Returns the same value with the id of the request that changed it. */
    public Orders after(String request) {
        List<String> all = new ArrayList<>(requests);
        all.add(request);
        return new Orders(frozen, drained, all);
    }

    /**
     * Returns the order that drains an instance; empty if the instance is not drained.
     *
     * @param names all names of the instance, as in {@link InstanceInfo#names}
     */
    public Optional<Order> drains(Stream<String> names) {
        return names.map(drained::get).filter(Objects::nonNull).findFirst();
    }

    /** Returns the same value without the orders that have ended by now; an equal value if no order has ended. */
    public Orders at(Instant now) {
        Map<String, Order> left = new TreeMap<>(drained);
        left.values().removeIf(order -> order.over(now));
        return new Orders(frozen == null || frozen.over(now) ? null : frozen, left, requests);
    }

    /** Returns the time at which the next order ends; empty if no order has an end. */
    public Optional<Instant> nextEnd() {
        return Stream.concat(Stream.ofNullable(frozen), drained.values().stream())
                .map(Order::until)
                .filter(Objects::nonNull)
                .min(Instant::compareTo);
    }
}
