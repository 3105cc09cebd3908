package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the cluster follows the operators' orders for the namespace. Once faults have ended, no item starts in a
 * frozen namespace; a drained instance neither gets, starts nor keeps items; and an evicted instance is gone. No order
 * ends before its time, unless an operator requests it. At the end of the calm phase, every order whose time is over
 * has ended. There is one exception: if a user strategy fails, a drained instance may keep the items that an earlier
 * plan gave it.
 */
final class OrdersKept extends Invariant {
    /** Longest time until every instance has followed an order, if no fault delays it. */
    private static final Duration BOUND = Duration.ofSeconds(3);
    /** Largest error of the leader's estimate of the server's clock. Late replies make the estimate run ahead. */
    private static final Duration CLOCK = Duration.ofSeconds(10);

    private static final String PATH = "/orders";
    static final String EVICTION = "/stops/evict~";

    /** Time at which all faults ended; null before. */
    private @Nullable Instant undisturbed;

    private JsonObject orders = new JsonObject();
    private @Nullable Instant frozenSince;
    /** Start of each drain, by the name of the drained instance or host. */
    private final Map<String, Instant> drainedSince = new HashMap<>();

    private final Set<String> evicted = new HashSet<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            if (write.path().equals(PATH)) {
                boolean deleted = write instanceof Write.Deleted;
                written(State.json(deleted ? "{}" : write.data()), transaction, before);
            } else if (write instanceof Write.Created && write.path().startsWith(EVICTION)) {
                evicted.add(write.path().substring(EVICTION.length()));
            } else if (write instanceof Write.Changed changed
                    && changed.path().startsWith("/jobs/")
                    && changed.path().endsWith("/sharding")) {
                planned(changed, transaction.at(), before);
            }
        }
    }

    /** Checks that no item moves to a drained instance. */
    private void planned(Write.Changed plan, Instant at, State before) {
        String job = plan.path().split("/", -1)[2];
        WrittenPlan last = before.plan(job);
        before.writtenPlan(plan.data()).owners.forEach((key, owner) -> {
            boolean moves = last != null && !owner.equals(last.owners.get(key));
            expect(
                    !moves || !isDrained(owner, at, before),
                    "no item moves to a drained instance",
                    plan.data(),
                    new Item(job, key));
        });
    }

    /** Returns whether an instance is drained, and has been drained long enough to have followed the order. */
    private boolean isDrained(String instance, Instant at, State before) {
        State.Node node = before.node("/instances/" + instance);
        if (node == null) {
            return false;
        }
        JsonObject json = State.json(node.data());
        return drainedSince.entrySet().stream()
                .anyMatch(drain -> hasTakenEffect(drain.getValue(), at) && isNamed(drain.getKey(), instance, json));
    }

    /**
     * Returns whether the plan in force assigns an item to an instance, and the strategy of the job may prevent a new
     * plan.
     */
    private static boolean keeps(String instance, Item item, State before) {
        WrittenPlan plan = before.plan(item.job());
        return !Recovers.isBuiltIn(item.job(), before) && plan != null && instance.equals(plan.owners.get(item.key()));
    }

    private void written(JsonObject next, Event.Transaction by, State before) {
        boolean requested = !Objects.equals(orders.get("requests"), next.get("requests"));
        JsonObject drains = drains(orders);
        JsonObject nextDrains = drains(next);
        if (orders.has("frozen") && !next.has("frozen")) {
            frozenSince = null;
            ended(orders.getAsJsonObject("frozen"), requested, by);
        } else if (next.has("frozen") && !orders.has("frozen")) {
            frozenSince = by.at();
        }
        drains.keySet().forEach(name -> {
            if (!nextDrains.has(name)) {
                ended(drains.getAsJsonObject(name), requested, by);
                released(name, by.at(), before);
                drainedSince.remove(name);
            }
        });
        nextDrains.keySet().forEach(name -> drainedSince.putIfAbsent(name, by.at()));
        orders = next;
    }

    private static JsonObject drains(JsonObject orders) {
        return orders.has("drained") ? orders.getAsJsonObject("drained") : new JsonObject();
    }

    private void ended(JsonObject order, boolean requested, Event.Transaction by) {
        expect(
                requested || (isOver(order, by.at().plus(CLOCK))),
                "an order without a request to end it lasts until its time is over",
                order + " at " + by.at(),
                null);
    }

    private static boolean isOver(JsonObject order, Instant at) {
        return order.has("until")
                && !Instant.parse(order.get("until").getAsString()).isAfter(at);
    }

    /** Checks that a drained instance has no items when its drain ends. */
    private void released(String name, Instant at, State before) {
        if (!hasTakenEffect(drainedSince.get(name), at)) {
            return;
        }
        before.below("/instances").values().forEach(node -> {
            JsonObject instance = State.json(node.data());
            String id = instance.getAsJsonObject("self").get("id").getAsString();
            if (isNamed(name, id, instance)) {
                for (String job : before.jobs()) {
                    WrittenPlan plan = before.plan(job);
                    boolean none = plan == null || !plan.owners.containsValue(id) || !Recovers.isBuiltIn(job, before);
                    expect(none, "a drained instance has no items of job " + job, id, null);
                }
            }
        });
    }

    /** Returns whether an order is so old that every instance must have followed it by now. */
    private boolean hasTakenEffect(@Nullable Instant since, Instant at) {
        return undisturbed != null
                && since != null
                && at.isAfter(since.plus(BOUND))
                && at.isAfter(undisturbed.plus(BOUND));
    }

    private static boolean isNamed(String name, String id, JsonObject instance) {
        return name.equals(id)
                || name.equals(Eligible.host(id))
                || instance.getAsJsonObject("self").get("host").getAsString().equals(name)
                || instance.getAsJsonArray("earlierIds").asList().stream()
                        .anyMatch(earlier -> earlier.getAsString().equals(name));
    }

    @Override
    void move(Move move, State before) {
        if (!move.claims()) {
            return;
        }
        Instant at = move.by().at();
        expect(!hasTakenEffect(frozenSince, at), "no item starts while the namespace is frozen", move, move.item());
        String owner = move.next().owner();
        expect(
                !isDrained(owner, at, before) || keeps(owner, move.item(), before),
                "no item starts in a drained instance",
                move,
                move.item());
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Undisturbed) {
            undisturbed = event.at();
        } else if (event instanceof Event.Calm || event instanceof Event.Over) {
            for (String id : evicted) {
                expect(!before.exists("/instances/" + id), "an evicted instance is gone", id, null);
            }
        }
        if (event instanceof Event.Over over) {
            Instant latest = over.at().minus(BOUND);
            boolean late = (orders.has("frozen") && isOver(orders.getAsJsonObject("frozen"), latest))
                    || drains(orders).entrySet().stream()
                            .anyMatch(drain -> isOver(drain.getValue().getAsJsonObject(), latest));
            expect(!late, "the leader ends every order whose time is over", orders, null);
            List<String> left = before.below("/stops").keySet().stream()
                    .filter(path -> path.startsWith(EVICTION))
                    .toList();
            expect(left.isEmpty(), "the leader deletes the evictions of instances that are gone", left, null);
        }
    }
}
