package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks I5: static items, and items of a restarting host, stay on their host. A static item is on the host of its
 * first assignment, or is unplaced. With a restart grace, the items of an ended instance wait until its host has an
 * instance again or the grace ends. When the host returns, no other item moves.
 */
final class PlacementKept extends Invariant {
    /**
     * Longest time by which the leader's clock may be ahead of the server's clock, plus the duration of the leader's
     * write request.
     */
    private static final Duration UNDER_WAY = Duration.ofSeconds(11);
    /** Longest time by which a leader's view of the instances may be outdated. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    private static final String STICKY = "STICKY_BALANCED";

    /** Host of the first assignment of each static item. */
    private final Map<Item, String> homes = new HashMap<>();

    /** An item's wait for the restart of a host. The end of the grace is null until it is known. */
    private record Wait(String host, @Nullable Instant until) {
        static Wait of(String text) {
            int blank = text.indexOf(' ');
            String until = text.substring(blank + 1);
            return new Wait(text.substring(0, blank), until.isEmpty() ? null : Instant.parse(until));
        }
    }

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            boolean planned = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            String data = write.data();
            JsonObject definition = planned ? before.definition(parts[2]) : null;
            if (definition == null || data.isEmpty()) {
                continue;
            }
            WrittenPlan plan = before.writtenPlan(data);
            if (plan.numbered() && Eligible.isStatic(definition)) {
                placedStatic(parts[2], plan, before.plan(parts[2]), Eligible.most(definition));
            } else if (plan.numbered() && definition.has("restartGrace")) {
                WrittenPlan last = before.plan(parts[2]);
                if (last != null && !last.closed() && !plan.closed() && last.total == plan.total) {
                    restarted(parts[2], plan, last, transaction.at(), before);
                }
            }
        }
    }

    // ---- static jobs

    private void placedStatic(String job, WrittenPlan plan, @Nullable WrittenPlan last, long most) {
        homes.keySet().removeIf(item -> item.job().equals(job) && !plan.has(item.key()));
        Map<String, Long> counts = new HashMap<>();
        plan.owners.values().forEach(owner -> counts.merge(owner, 1L, Long::sum));
        plan.owners.forEach((key, owner) -> {
            Item item = new Item(job, key);
            String home = homes.computeIfAbsent(item, first -> Eligible.host(owner));
            expect(home.equals(Eligible.host(owner)), "a static item is on its host, " + home, plan.json, item);
            String from = last == null ? null : last.owners.get(key);
            boolean left = from != null && !from.equals(owner) && counts.getOrDefault(from, most) < most;
            expect(!left, "a static item stays on its instance", plan.json, item);
        });
    }

    // ---- restarts

    private void restarted(String job, WrittenPlan next, WrittenPlan last, Instant at, State before) {
        JsonObject definition = before.definition(job);
        Duration grace = definition == null
                ? Duration.ZERO
                : Duration.parse(definition.get("restartGrace").getAsString());
        String plans = last.json + " to " + next.json;
        waited(job, next, last, at, before);
        awaits(job, next, last, at.plus(grace), before);
        boolean sticky = definition != null
                && definition.get("shardingStrategy").getAsString().equals(STICKY)
                && !definition.has("preferredInstances")
                && !definition.has("maxItemsPerInstance");
        if (sticky && !before.unreturned(at.minus(VIEW))) {
            Map<String, String> adopted = new TreeMap<>(last.owners);
            last.awaited().forEach((key, text) -> {
                Set<String> back = ofHost(Wait.of(text).host, at, before);
                if (back.size() == 1) {
                    adopted.put(key, back.iterator().next()); // in later plans, the strategy decides
                }
            });
            expect(
                    !balanced(adopted, next) || adopted.equals(next.owners),
                    "when a host returns, no other item of job " + job + " moves",
                    plans,
                    null);
        }
    }

    /** Checks the items that waited for a restart in the last plan. */
    private void waited(String job, WrittenPlan next, WrittenPlan last, Instant at, State before) {
        String plans = last.json + " to " + next.json;
        last.awaited().forEach((key, text) -> {
            Wait wait = Wait.of(text);
            String owner = next.owners.get(key);
            String still = next.awaited().get(key);
            if (owner == null && still != null) {
                Wait now = Wait.of(still);
                boolean same = wait.host.equals(now.host) && (wait.until == null || wait.until.equals(now.until));
                expect(same, "an item that waits for a restart keeps its host and grace", plans, new Item(job, key));
            } else if (ofHost(wait.host, at, before).isEmpty()
                    && (owner == null || !Eligible.host(owner).equals(wait.host))) {
                boolean over = wait.until != null && !wait.until.isAfter(at.plus(UNDER_WAY));
                expect(
                        over,
                        "an item waits for " + wait.host + " until the end of its grace",
                        plans,
                        new Item(job, key));
            }
        });
    }

    /**
     * Checks the items that wait for a restart in the next plan.
     *
     * @param latest latest end of a wait that begins with this plan
     */
    private void awaits(String job, WrittenPlan next, WrittenPlan last, Instant latest, State before) {
        String plans = last.json + " to " + next.json;
        next.awaited().forEach((key, text) -> {
            Wait wait = Wait.of(text);
            String owner = last.owners.get(key);
            if (owner != null) {
                State.Node node = before.node("/instances/" + owner);
                boolean leaves = node == null || Eligible.isLeaving(State.json(node.data()));
                expect(
                        Eligible.host(owner).equals(wait.host) && leaves,
                        "only the items of an ended instance wait for its restart",
                        plans,
                        new Item(job, key));
            }
            boolean inTime = wait.until == null || !wait.until.isAfter(latest.plus(UNDER_WAY));
            expect(inTime, "no item waits longer than the grace", plans, new Item(job, key));
        });
    }

    /** Returns the instances of a host that may have accepted items in the view of a leader that writes a plan now. */
    private static Set<String> ofHost(String host, Instant at, State before) {
        Set<String> all = new TreeSet<>();
        before.instances(at.minus(VIEW)).forEach((id, instance) -> {
            boolean working = instance.get("state").getAsString().equals("WORKING");
            if (working && Eligible.host(id).equals(host)) {
                all.add(id);
            }
        });
        return all;
    }

    /**
     * Returns whether this assignment covers all items of a plan and distributes them evenly over the plan's instances.
     */
    private static boolean balanced(Map<String, String> owners, WrittenPlan plan) {
        Set<String> instances = new TreeSet<>(plan.owners.values());
        if (!owners.keySet().equals(plan.owners.keySet()) || !instances.containsAll(owners.values())) {
            return false;
        }
        Map<String, Integer> counts = new HashMap<>();
        instances.forEach(instance -> counts.put(instance, 0));
        owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        int least = counts.values().stream().mapToInt(count -> count).min().orElse(0);
        return counts.values().stream().allMatch(count -> count <= least + 1);
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                JsonObject definition = before.definition(job);
                WrittenPlan plan = before.plan(job);
                if (definition != null
                        && plan != null
                        && definition.has("restartGrace")
                        && !Eligible.isStatic(definition)) {
                    expect(
                            plan.awaited().isEmpty(),
                            "no item of job " + job + " waits after the calm",
                            plan.json,
                            null);
                }
            }
        }
    }
}
