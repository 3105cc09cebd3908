package io.ostraka.core.decide;

import io.ostraka.api.JobInstance;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.PlacementReasons.Cause;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What no strategy is asked about. Static sharding leaves each item on the instance of its name, and else on none, until
 * one of that name is back; what was never placed is free. With a restart grace the items of an instance that shuts down are on
 * none for as long, until there is one of its name without items: that is then their owner, and what it has is for the
 * strategy to say.
 *
 * @param kept items by instance
 * @param awaited items by what they wait for, as {@link PlacementReasons#awaited()} has it
 * @param adopted instances by item that have come for what waited for them
 * @param free items for the strategy
 */
record Reservations(
        Map<String, List<String>> kept,
        Map<String, List<String>> awaited,
        Map<String, String> adopted,
        List<String> free) {
    /**
     * Finds those of static sharding.
     *
     * @param owners who has items now, whether it lives or not
     * @param present all that are registered, by each of their ids
     */
    static Reservations of(
            List<String> items,
            Map<String, String> owners,
            PlacementReasons grounds,
            Map<String, InstanceInfo> present,
            Eligibility eligible) {
        Map<String, String> names = PlacementReasons.byItem(grounds.awaited());
        Reservations reservations = new Reservations(new TreeMap<>(), new TreeMap<>(), Map.of(), new ArrayList<>());
        Map<String, String> displaced = new HashMap<>();
        for (String item : items) {
            String owner = owners.get(item);
            InstanceInfo now = owner == null ? null : present.get(owner);
            if (now != null && eligible.all().contains(now) && reservations.held(now) < eligible.maximum()) {
                add(reservations.kept, now.id(), item);
            } else if (owner != null || names.containsKey(item)) {
                displaced.put(item, owner == null ? name(names.getOrDefault(item, "")) : name(owner, now));
            } else {
                reservations.free.add(item);
            }
        }
        for (String item : items) { // once it is known who keeps how many
            String name = displaced.get(item);
            if (name != null) {
                eligible.all().stream()
                        .filter(instance ->
                                instance.self().name().equals(name) && reservations.held(instance) < eligible.maximum())
                        .min(Comparator.comparingInt(reservations::held))
                        .ifPresentOrElse(
                                instance -> add(reservations.kept, instance.id(), item),
                                () -> add(reservations.awaited, name, item));
            }
        }
        return reservations;
    }

    /**
     * Finds those that wait for a restart.
     *
     * @param owners who has items now, whether it lives or not
     * @param present all that are registered, by each of their ids
     * @param until when those of an instance that has just left will have waited long enough
     * @param now the server's clock
     */
    static Reservations ofRestarts(
            List<String> items,
            Map<String, String> owners,
            PlacementReasons grounds,
            Map<String, InstanceInfo> present,
            Eligibility eligible,
            Instant until,
            Instant now) {
        Map<String, String> waits = PlacementReasons.byItem(grounds.awaited());
        Set<String> busy = new HashSet<>();
        Set.copyOf(owners.values())
                .forEach(id -> Optional.ofNullable(present.get(id)).ifPresent(owner -> busy.add(owner.id())));
        Set<String> leaving = new HashSet<>();
        present.values().stream()
                .filter(Reservations::leaves)
                .forEach(instance -> leaving.add(instance.self().name()));
        Map<String, Integer> newcomers = new TreeMap<>();
        Reservations reservations = new Reservations(Map.of(), new TreeMap<>(), new HashMap<>(), new ArrayList<>());
        for (String item : items) {
            InstanceInfo owner = owners.containsKey(item) ? present.get(owners.get(item)) : null;
            String wait = owner != null && leaves(owner)
                    ? owner.self().name() + ' '
                    : owners.containsKey(item) ? null : waits.get(item);
            if (wait != null && wait.endsWith(" ") && !leaving.contains(name(wait))) {
                wait += until; // now it has left
            }
            String name = wait == null ? null : name(wait);
            Optional<String> back = name == null
                    ? Optional.empty()
                    : eligible.all().stream()
                            .filter(instance -> instance.self().name().equals(name))
                            .map(InstanceInfo::id)
                            .filter(id -> !busy.contains(id))
                            .min(Comparator.comparingInt(id -> newcomers.getOrDefault(id, 0)));
            if (wait != null && back.isEmpty() && (wait.endsWith(" ") || now.isBefore(end(wait)))) {
                add(reservations.awaited, wait, item);
            } else {
                reservations.free.add(item);
                back.ifPresent(id -> {
                    reservations.adopted.put(item, id);
                    newcomers.merge(id, 1, Integer::sum);
                });
            }
        }
        return reservations;
    }

    /** Returns who has items, with those who have come for what waited. */
    Map<String, String> adopting(Map<String, String> owners) {
        if (adopted.isEmpty()) {
            return owners;
        }
        Map<String, String> all = new HashMap<>(owners);
        all.putAll(adopted);
        return all;
    }

    /** One that is only drained goes on hosting jobs: its items go to others at once. */
    private static boolean leaves(InstanceInfo instance) {
        return instance.state() == InstanceInfo.State.DRAINING
                && instance.jobs().isEmpty();
    }

    /** Says what an item waits for, of those that wait for a restart. */
    static Optional<String> restart(String wait) {
        String name = name(wait);
        String until = wait.substring(name.length()).strip();
        return name.length() == wait.length()
                ? Optional.empty()
                : Optional.of("instance '" + name + "' is being restarted, and restartGrace has it wait"
                        + (until.isEmpty() ? "" : " until " + until));
    }

    /** Says how an item came to an instance that has waited for a restart, as a plan's grounds have it; null if it hasn't. */
    static @Nullable String drained(String wait, InstanceInfo to) {
        String name = name(wait);
        return name.length() == wait.length() || name.equals(to.self().name()) ? null : Cause.DRAINED.of(name);
    }

    private static String name(String wait) {
        int blank = wait.indexOf(' ');
        return blank < 0 ? wait : wait.substring(0, blank);
    }

    /** What names no instant was left by static sharding, or by a hand: nobody waits for it any more. */
    private static Instant end(String wait) {
        try {
            return Instant.parse(wait.substring(wait.indexOf(' ') + 1));
        } catch (DateTimeParseException e) {
            return Instant.MIN;
        }
    }

    /** How many items are pinned to an instance. */
    int held(InstanceInfo instance) {
        return kept.getOrDefault(instance.id(), List.of()).size();
    }

    /** None is pinned. */
    static Reservations none(List<String> items) {
        return new Reservations(Map.of(), Map.of(), Map.of(), items);
    }

    /** Of one that is gone its id tells. */
    private static String name(String id, @Nullable InstanceInfo instance) {
        if (instance != null) {
            return instance.self().name();
        }
        return JobInstance.name(id);
    }

    private static void add(Map<String, List<String>> to, String key, String item) {
        to.computeIfAbsent(key, none -> new ArrayList<>()).add(item);
    }

    /** Why items are nowhere: those that wait, by reason. Who waits for a restart is missed by nobody. */
    Map<String, List<String>> reasons(Eligibility eligible) {
        Map<String, List<String>> reasons = new TreeMap<>();
        awaited.forEach((wait, items) -> {
            if (restart(wait).isEmpty()) {
                reasons.put(eligible.refusal(wait), items);
            }
        });
        return reasons;
    }
}
