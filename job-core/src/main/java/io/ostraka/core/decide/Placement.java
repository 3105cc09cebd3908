package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.PlacementReasons;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Places a job's items on instances. The strategy chooses among the eligible instances. This class corrects the choice
 * in two cases: if an instance would get more items than its maximum, and if it would get an item that its process
 * still runs from an earlier session.
 */
public final class Placement {
    /**
     * Largest number of rounds for one placement. Each round calls the strategy. Two or three rounds are enough unless
     * the strategy changes its answer each time.
     */
    private static final int MAX_ROUNDS = 10;

    private final Demand demand;
    private final String job;
    private final CheckedStrategy strategy;
    private final Eligibility eligible;
    private final Reservations reservations;

    private Placement(Demand demand) {
        this.demand = demand;
        this.job = demand.job.jobName();
        this.strategy = new CheckedStrategy(demand.candidates.strategy);
        this.eligible = demand.candidates.eligible(demand.job);
        this.reservations = reservations();
    }

    private Reservations reservations() {
        boolean restarts = !demand.job.restartGrace().isZero();
        if (demand.job.staticSharding()) {
            return Reservations.of(
                    demand.items, demand.owners, demand.grounds, byId(demand.candidates.instances), eligible);
        }
        return restarts
                ? Reservations.ofRestarts(
                        demand.items,
                        demand.owners,
                        demand.grounds,
                        byId(demand.candidates.instances),
                        eligible,
                        demand.now.plus(demand.job.restartGrace()),
                        demand.now)
                : Reservations.none(demand.items);
    }

    /**
     * The registered instances and the rules for choosing among them.
     *
     * @param instances all registered instances, in any order
     * @param strategy the job's strategy
     * @param circumstances further inputs of the choice, such as measured run times
     */
    public record Candidates(
            List<InstanceInfo> instances, JobShardingStrategy strategy, PlacementContext circumstances) {
        Candidates with(JobShardingStrategy other) {
            return new Candidates(instances, other, circumstances);
        }

        Eligibility eligible(JobConfiguration job) {
            return Eligibility.of(job, instances, circumstances);
        }
    }

    /**
     * Inputs of a placement.
     *
     * @param job effective configuration
     * @param items keys of the items to place
     * @param owners current owners by item. Some owners may no longer be registered
     * @param grounds recorded reasons for the current placement
     * @param candidates the instances and the rules for choosing among them
     * @param now current time on the server's clock
     */
    record Demand(
            JobConfiguration job,
            List<String> items,
            Map<String, String> owners,
            PlacementReasons grounds,
            Candidates candidates,
            Instant now) {}

    /**
     * Result of a placement.
     *
     * @param items items by instance; empty if no instance is eligible
     * @param grounds reasons for the placement
     */
    record Placed(Map<String, List<String>> items, PlacementReasons grounds) {}

    /**
     * The corrected answer of the strategy in one round.
     *
     * @param placed items by instance; instances without items are missing
     * @param left items for which no instance has free capacity
     * @param evicted items that the strategy left with their owner, but that the limit per instance moved
     * @param state the strategy's new state
     */
    private record Round(Map<String, List<String>> placed, List<String> left, Set<String> evicted, String state) {
        Map<String, String> owners() {
            Map<String, String> owners = new HashMap<>();
            placed.forEach((instance, items) -> items.forEach(item -> owners.put(item, instance)));
            return owners;
        }
    }

    /**
     * Places all items.
     *
     * @throws PlacementRefusedException if the strategy's answer is invalid
     */
    static Placed place(Demand demand) {
        return new Placement(demand).placed();
    }

    private Placed placed() {
        strategy.requireFor(demand.items.size());
        boolean unreturned = eligible.takers().stream().anyMatch(this::busy);
        Map<String, String> before = reservations.adopting(demand.owners);
        for (int count = 1; ; count++) {
            Round round = round(before);
            Map<String, String> after = round.owners();
            // otherwise the next round follows at once: a correction can change the strategy's answer for other items,
            // and they would wait for the next reconciliation
            if (!unreturned || count == MAX_ROUNDS || after.equals(before)) {
                return new Placed(round.placed, grounds(round, after));
            }
            before = after;
        }
    }

    private boolean busy(InstanceInfo taker) {
        return !taker.stillRunning().getOrDefault(job, Set.of()).isEmpty();
    }

    /** Places items on the preferred instances up to their capacity, and the remaining items on the other instances. */
    private Round round(Map<String, String> owners) {
        Map<String, List<String>> placed = new TreeMap<>();
        Set<String> evicted = new HashSet<>();
        String state = demand.grounds.stateFor(strategy.type());
        List<String> left = reservations.free();
        for (List<InstanceInfo> tier : eligible.tiers()) {
            Map<String, String> present = successors(owners, tier, left);
            List<String> fitting = fitting(left, present, owners, room(tier));
            Map<String, List<String>> given = new TreeMap<>();
            tier.forEach(instance -> given.put(
                    instance.id(), new ArrayList<>(reservations.kept().getOrDefault(instance.id(), List.of()))));
            if (!fitting.isEmpty()) {
                left = rest(left, fitting);
                left.forEach(present::remove);
                JobShardingStrategy.Answer answer = strategy.place(request(tier, fitting, present, state));
                state = answer.state();
                answer.items().forEach((instance, items) -> of(given, instance).addAll(items));
                reservations.kept().forEach((instance, items) -> items.forEach(item -> present.put(item, instance)));
                evicted.addAll(new InstanceLimit(eligible.maximum(), given, present).applied());
            }
            placed.putAll(given);
        }
        avoidUnreturnedRuns(placed);
        placed.values().removeIf(List::isEmpty);
        return new Round(placed, eligible.takers().isEmpty() ? List.of() : left, evicted, state);
    }

    private static List<String> rest(List<String> items, List<String> fitting) {
        if (fitting.size() == items.size()) {
            return List.of();
        }
        Set<String> gone = new HashSet<>(fitting);
        return items.stream().filter(item -> !gone.contains(item)).toList();
    }

    /**
     * Returns the number of items that the instances of a tier may own in addition to the items reserved for them. The
     * preferred instances form one tier and the other eligible instances a second one.
     */
    private long room(List<InstanceInfo> tier) {
        return tier.stream()
                .mapToLong(instance -> eligible.maximum() - reservations.held(instance))
                .sum();
    }

    /**
     * Returns the items to place on the instances of a tier: at most {@code room} items, in key order. Items that the
     * tier already owns are chosen first, then items without an owner, then items that the other tier owns.
     */
    private List<String> fitting(
            List<String> items, Map<String, String> present, Map<String, String> owners, long room) {
        if (room >= items.size()) {
            return items;
        }
        Map<String, String> anywhere = successors(owners, eligible.all(), items);
        return items.stream()
                .sorted(Comparator.comparing(
                        (String item) -> present.containsKey(item) ? 0 : anywhere.containsKey(item) ? 2 : 1))
                .limit(room)
                .sorted(ItemKeys.ORDER)
                .toList();
    }

    private JobShardingStrategy.Request request(
            List<InstanceInfo> tier, List<String> items, Map<String, String> owners, String state) {
        Set<String> busy = new HashSet<>();
        String busyOwner = demand.candidates.circumstances.busyOwner();
        tier.stream()
                .filter(instance -> busy(instance)
                        || (busyOwner != null
                                && (instance.id().equals(busyOwner)
                                        || instance.earlierIds().contains(busyOwner))))
                .forEach(instance -> busy.add(instance.id()));
        return new JobShardingStrategy.Request(
                job,
                tier.stream().map(InstanceInfo::self).toList(),
                items,
                owners,
                demand.candidates.circumstances.runTimes(),
                demand.candidates.circumstances.otherItems(),
                busy,
                demand.job.maxItemsPerInstance(),
                demand.candidates.circumstances.lastFire(),
                state);
    }

    /**
     * Returns the owners that are among the given instances, by item. If the process of an owner has reconnected under
     * a new session, the owner's new id is returned.
     */
    private static Map<String, String> successors(
            Map<String, String> owners, List<InstanceInfo> instances, List<String> items) {
        Map<String, InstanceInfo> present = byId(instances);
        Map<String, String> living = new HashMap<>();
        for (String item : items) {
            InstanceInfo owner = present.get(owners.get(item));
            if (owner != null) {
                living.put(item, owner.id());
            }
        }
        return living;
    }

    /** Returns the instances by their current id and by the earlier ids of their process. */
    private static Map<String, InstanceInfo> byId(List<InstanceInfo> instances) {
        Map<String, InstanceInfo> byId = new HashMap<>();
        instances.forEach(instance -> byId.put(instance.id(), instance));
        instances.forEach(instance -> instance.earlierIds().forEach(earlier -> byId.putIfAbsent(earlier, instance)));
        return byId;
    }

    /**
     * Moves an item to another instance with free capacity if the process of its new owner still runs the item from an
     * earlier session. Reserved items do not move; they wait until that run has ended.
     */
    private void avoidUnreturnedRuns(Map<String, List<String>> placed) {
        for (InstanceInfo taker : eligible.all()) {
            for (String item : busy(taker) ? List.copyOf(of(placed, taker.id())) : List.<String>of()) {
                if (!taker.takes(job, item)
                        && !reservations
                                .kept()
                                .getOrDefault(taker.id(), List.of())
                                .contains(item)) {
                    eligible.all().stream()
                            .filter(other -> other.takes(job, item)
                                    && of(placed, other.id()).size() < eligible.maximum())
                            .min(Comparator.comparingInt(
                                    other -> of(placed, other.id()).size()))
                            .ifPresent(other -> {
                                of(placed, taker.id()).remove(item);
                                of(placed, other.id()).add(item);
                            });
                }
            }
        }
    }

    private static List<String> of(Map<String, List<String>> placed, String instance) {
        return placed.computeIfAbsent(instance, id -> new ArrayList<>());
    }

    /**
     * Returns the reasons for the new placement. If nothing else in the placement has changed, the earlier reasons are
     * kept, because new reasons alone must not cause a write of the plan.
     */
    private PlacementReasons grounds(Round round, Map<String, String> after) {
        PlacementReasons before = demand.grounds;
        Map<String, List<String>> unplaced = reservations.reasons(eligible);
        if (!round.left.isEmpty()) {
            unplaced.put(eligible.refusal(), round.left);
        }
        boolean moved =
                demand.items.stream().anyMatch(item -> !Objects.equals(demand.owners.get(item), after.get(item)));
        if (!moved
                && unplaced.equals(before.unplaced())
                && reservations.awaited().equals(before.awaited())
                && round.state.equals(before.state())) {
            return before;
        }
        Map<String, InstanceInfo> present = byId(demand.candidates.instances);
        Map<String, String> known = PlacementReasons.byItem(before.moves());
        Map<String, String> waits = PlacementReasons.byItem(before.awaited());
        Map<String, List<String>> moves = new HashMap<>();
        for (String item : demand.items) {
            String from = demand.owners.get(item);
            InstanceInfo to = present.get(after.get(item));
            InstanceInfo was = present.get(from);
            if (to != null) {
                String reason = from == null
                        ? Reservations.drained(waits.getOrDefault(item, ""), to)
                        : to.equals(was)
                                ? known.get(item)
                                : eligible.cause(item, was, to, round.evicted.contains(item))
                                        .of(was == null ? from : was.id());
                if (reason != null) {
                    moves.computeIfAbsent(reason, key -> new ArrayList<>()).add(item);
                }
            }
        }
        String type = strategy.type();
        return new PlacementReasons(
                type.equals(JobConfiguration.DEFAULT_STRATEGY) ? null : type,
                round.state,
                moves,
                unplaced,
                reservations.awaited());
    }
}
