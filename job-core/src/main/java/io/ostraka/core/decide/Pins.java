package io.ostraka.core.decide;

import io.ostraka.core.model.Grounds;
import io.ostraka.core.model.InstanceInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where static sharding leaves the items of a job: each on its instance, if that is gone on another of its host, and else on
 * none, until its host is back. What was never placed is free.
 *
 * @param kept items by instance
 * @param awaited items by the host that they wait for
 * @param free items for the strategy
 */
record Pins(Map<String, List<String>> kept, Map<String, List<String>> awaited, List<String> free) {
    /**
     * Finds them.
     *
     * @param owners who has items now, whether it lives or not
     * @param present all that are registered, by each of their ids
     */
    static Pins of(
            List<String> items,
            Map<String, String> owners,
            Grounds grounds,
            Map<String, InstanceInfo> present,
            Eligibility eligible) {
        Map<String, String> hosts = Grounds.byItem(grounds.awaited());
        Pins pins = new Pins(new TreeMap<>(), new TreeMap<>(), new ArrayList<>());
        Map<String, String> homeless = new HashMap<>();
        for (String item : items) {
            String owner = owners.get(item);
            InstanceInfo now = owner == null ? null : present.get(owner);
            if (now != null && eligible.all().contains(now) && pins.held(now) < eligible.maximum()) {
                add(pins.kept, now.id(), item);
            } else if (owner != null || hosts.containsKey(item)) {
                homeless.put(item, owner == null ? hosts.getOrDefault(item, "") : host(owner, now));
            } else {
                pins.free.add(item);
            }
        }
        for (String item : items) { // once it is known who keeps how many
            String host = homeless.get(item);
            if (host != null) {
                eligible.all().stream()
                        .filter(instance ->
                                instance.self().host().equals(host) && pins.held(instance) < eligible.maximum())
                        .min(Comparator.comparingInt(pins::held))
                        .ifPresentOrElse(
                                instance -> add(pins.kept, instance.id(), item), () -> add(pins.awaited, host, item));
            }
        }
        return pins;
    }

    /** How many items are pinned to an instance. */
    int held(InstanceInfo instance) {
        return kept.getOrDefault(instance.id(), List.of()).size();
    }

    /** None is pinned. */
    static Pins none(List<String> items) {
        return new Pins(Map.of(), Map.of(), items);
    }

    /** Of one that is gone its id tells: {@code host@pid@session}. */
    private static String host(String id, @Nullable InstanceInfo instance) {
        if (instance != null) {
            return instance.self().host();
        }
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }

    private static void add(Map<String, List<String>> to, String key, String item) {
        to.computeIfAbsent(key, none -> new ArrayList<>()).add(item);
    }

    /** Why items are nowhere: those that wait, by reason. */
    Map<String, List<String>> reasons() {
        Map<String, List<String>> reasons = new TreeMap<>();
        awaited.forEach((host, items) -> reasons.put(
                "no instance of host '" + host + "' may have it now, and staticSharding leaves it there", items));
        return reasons;
    }
}
