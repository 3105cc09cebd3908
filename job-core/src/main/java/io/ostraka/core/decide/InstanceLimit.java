package io.ostraka.core.decide;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Holds each instance to its maximum: what a strategy gives it beyond goes to others, with the fewest moves. First an item
 * goes back to whose it is, if that instance has room, which saves a move; of the rest those that are another's leave first,
 * which costs none, and then go where there are fewest.
 *
 * <p>What is asked again with what came of it gets the same: what stayed is the instance's own by then, and what left is
 * another's that has room for it.
 */
final class InstanceLimit {
    private final int maximum;
    private final Map<String, List<String>> placed;
    private final Map<String, String> owners;
    /** What the strategy had left with its owner. */
    private final Set<String> evicted = new HashSet<>();

    /**
     * Prepares it.
     *
     * @param placed items by instance, of all instances that may have some; together they have room. Is changed
     * @param owners whose the items are now
     */
    InstanceLimit(int maximum, Map<String, List<String>> placed, Map<String, String> owners) {
        this.maximum = maximum;
        this.placed = placed;
        this.owners = owners;
    }

    /** Returns the items that had to leave an owner with whom the strategy had left them. */
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
                of(owner).add(item); // not this instance, which has too many
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
