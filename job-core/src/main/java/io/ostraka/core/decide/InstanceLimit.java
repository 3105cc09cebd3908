package io.ostraka.core.decide;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Enforces the maximum number of items per instance in a strategy's answer, with as few moves as possible. First, an
 * instance with too many items gives surplus items back to their current owners, if these owners have free capacity.
 * Then it gives further items to the instances with the fewest items, beginning with the items that it does not own
 * yet.
 *
 * <p>The limit changes nothing when it is applied to its own result.
 */
final class InstanceLimit {
    private final int maximum;
    private final Map<String, List<String>> placed;
    private final Map<String, String> owners;
    /** Items that the strategy left with their owners, but that the limit moved to other instances. */
    private final Set<String> evicted = new HashSet<>();

    /**
     * Creates the limit.
     *
     * @param placed items by instance. Contains all eligible instances, which together have enough capacity for the
     *     items. {@link #applied()} changes this map
     * @param owners current owners by item
     */
    InstanceLimit(int maximum, Map<String, List<String>> placed, Map<String, String> owners) {
        this.maximum = maximum;
        this.placed = placed;
        this.owners = owners;
    }

    /**
     * Applies the limit. Returns the items that the strategy left with their owner, but that the limit moved to another
     * instance.
     */
    Set<String> applied() {
        List<String> over = placed.keySet().stream()
                .filter(instance -> size(instance) > maximum)
                .toList();
        over.forEach(this::giveBack);
        List<String> displaced = new ArrayList<>();
        over.forEach(instance -> displaced.addAll(evictions(instance)));
        PriorityQueue<String> emptiest =
                new PriorityQueue<>(Comparator.comparingInt(this::size).thenComparing(Comparator.naturalOrder()));
        emptiest.addAll(placed.keySet());
        for (String item : displaced) {
            String instance = emptiest.remove();
            of(instance).add(item);
            emptiest.add(instance);
        }
        return evicted;
    }

    private void giveBack(String instance) {
        List<String> kept = new ArrayList<>();
        int surplus = size(instance) - maximum;
        for (String item : of(instance)) {
            String owner = owners.get(item);
            if (surplus > 0 && owner != null && placed.containsKey(owner) && size(owner) < maximum) {
                of(owner).add(item); // the owner cannot be this instance, which has too many items
                surplus--;
            } else {
                kept.add(item);
            }
        }
        placed.put(instance, kept);
    }

    private List<String> evictions(String instance) {
        int surplus = Math.max(0, size(instance) - maximum);
        List<String> othersFirst = new ArrayList<>(of(instance));
        othersFirst.sort(Comparator.comparing(item -> instance.equals(owners.get(item))));
        List<String> leaving = List.copyOf(othersFirst.subList(0, surplus));
        leaving.stream().filter(item -> instance.equals(owners.get(item))).forEach(evicted::add);
        placed.put(instance, new ArrayList<>(othersFirst.subList(surplus, othersFirst.size())));
        return leaving;
    }

    private List<String> of(String instance) {
        return placed.computeIfAbsent(instance, id -> new ArrayList<>());
    }

    private int size(String instance) {
        return of(instance).size();
    }
}
