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
 * Items that are reserved for an instance, so the strategy does not place them; {@link Takeover} decides the further
 * course of their interrupted fires.
 *
 * <p>With static sharding, an item stays with its owner or with an instance of the same name as the owner. While no
 * such instance is registered, the item has no owner.
 *
 * <p>With a restart grace, the items of an instance that shuts down wait for an instance with the same name and without
 * items, at most until the grace ends. When that instance joins, the strategy receives it as the owner of these items.
 *
 * @param kept reserved items, by the id of the instance that keeps them
 * @param awaited items that wait for an instance to register, or for their owner to restart, see {@link
 *     PlacementReasons#awaited()}
 * @param adopted new owners of items that waited for their owner to restart, by item
 * @param free items that the strategy places
 */
record Reservations(
        Map<String, List<String>> kept,
        Map<String, List<String>> awaited,
        Map<String, String> adopted,
        List<String> free) {
    /**
     * Returns the reservations for static sharding.
     *
     * @param owners current owners by item. Some owners may no longer be registered
     * @param present registered instances, by their current ids and by their earlier ids
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
        for (String item : items) { // a second pass, because it needs the number of items that each instance keeps
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
     * Returns the reservations for restarts.
     *
     * @param owners current owners by item. Some owners may no longer be registered
     * @param present registered instances, by their current ids and by their earlier ids
     * @param until end of the grace for an instance that has just left
     * @param now current time on the server's clock
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
                wait += until; // the instance has just left, so its grace ends at this time
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

    /** Returns the given owners, together with the new owners of items that waited for their owner to restart. */
    Map<String, String> adopting(Map<String, String> owners) {
        if (adopted.isEmpty()) {
            return owners;
        }
        Map<String, String> all = new HashMap<>(owners);
        all.putAll(adopted);
        return all;
    }

    /**
     * Returns whether an instance is shutting down: it is draining and no longer hosts any job. An instance that an
     * operator drains still hosts its jobs. Its items move at once and do not wait.
     */
    private static boolean leaves(InstanceInfo instance) {
        return instance.state() == InstanceInfo.State.DRAINING
                && instance.jobs().isEmpty();
    }

    /** Returns a text for operators that describes a wait for a restart; empty if the item waits for another reason. */
    static Optional<String> restart(String wait) {
        String name = name(wait);
        String until = wait.substring(name.length()).strip();
        return name.length() == wait.length()
                ? Optional.empty()
                : Optional.of("instance '" + name + "' is being restarted, and the item waits for restartGrace"
                        + (until.isEmpty() ? "" : " until " + until));
    }

    /**
     * Returns the reason to record for an item that waited for its owner to restart but moved to an instance with
     * another name; null for every other item.
     */
    static @Nullable String drained(String wait, InstanceInfo to) {
        String name = name(wait);
        return name.length() == wait.length() || name.equals(to.self().name()) ? null : Cause.DRAINED.of(name);
    }

    private static String name(String wait) {
        int blank = wait.indexOf(' ');
        return blank < 0 ? wait : wait.substring(0, blank);
    }

    /**
     * Returns the end of a wait for a restart. A wait without a valid time counts as ended: it comes from static
     * sharding or was edited by hand.
     */
    private static Instant end(String wait) {
        try {
            return Instant.parse(wait.substring(wait.indexOf(' ') + 1));
        } catch (DateTimeParseException e) {
            return Instant.MIN;
        }
    }

    /** Returns the number of items reserved for an instance. */
    int held(InstanceInfo instance) {
        return kept.getOrDefault(instance.id(), List.of()).size();
    }

    /** Returns reservations in which all items are free. */
    static Reservations none(List<String> items) {
        return new Reservations(Map.of(), Map.of(), Map.of(), items);
    }

    /** Returns the name of an instance. If the instance is no longer registered, the name is taken from its id. */
    private static String name(String id, @Nullable InstanceInfo instance) {
        if (instance != null) {
            return instance.self().name();
        }
        return JobInstance.name(id);
    }

    private static void add(Map<String, List<String>> to, String key, String item) {
        to.computeIfAbsent(key, none -> new ArrayList<>()).add(item);
    }

    /**
     * Returns the waiting items by the reason why they have no owner. Items that wait for a restart are left out,
     * because they are not reported as unplaced.
     */
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
