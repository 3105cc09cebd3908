package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The current assignment of a sharding request, as arrays. Items and instances are represented by their indexes in the
 * request's lists.
 */
final class CurrentAssignment {
    /** Value for an item without an owner. */
    static final int NONE = -1;

    private final Request request;
    private final int[] owners;
    private final int[] held;

    CurrentAssignment(Request request) {
        this.request = request;
        Map<String, Integer> numbers = new HashMap<>();
        for (JobInstance instance : request.instances()) {
            numbers.put(instance.id(), numbers.size());
        }
        owners = new int[request.items().size()];
        held = new int[request.instances().size()];
        for (int item = 0; item < owners.length; item++) {
            String owner = request.owners().get(request.items().get(item));
            owners[item] = owner == null ? NONE : numbers.getOrDefault(owner, NONE);
            if (owners[item] != NONE) {
                held[owners[item]]++;
            }
        }
    }

    /** Returns the owner of each item, as a copy that the caller may change. */
    int[] owners() {
        return owners.clone();
    }

    /** Returns the current number of items of an instance. */
    int held(int instance) {
        return held[instance];
    }

    /**
     * Returns all instances in an order that starts at a different instance for each job. Strategies use this order to
     * decide ties. Otherwise all jobs with one item would run on the same instance.
     */
    List<Integer> turned() {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, held.length).boxed().toList());
        Collections.rotate(all, request.jobName().hashCode() % held.length);
        return all;
    }

    /**
     * Gives equal quotas to the instances. If the items cannot be divided evenly, the instances that now have the most
     * items get one more each.
     */
    void level(List<Integer> instances, int items, int[] quotas) {
        List<Integer> fullestFirst = new ArrayList<>(instances);
        fullestFirst.sort(
                Comparator.comparingInt((Integer instance) -> held[instance]).reversed());
        for (int i = 0; i < fullestFirst.size(); i++) {
            quotas[fullestFirst.get(i)] = items / fullestFirst.size() + (i < items % fullestFirst.size() ? 1 : 0);
        }
    }

    /**
     * Assigns items up to the quotas of the instances. The quotas must add up to the number of items. Current owners
     * keep as many items as their quotas allow.
     */
    Map<String, List<String>> filled(int[] quotas) {
        int[] room = quotas.clone();
        int[] placed = new int[owners.length];
        Arrays.fill(placed, NONE);
        for (int item = 0; item < owners.length; item++) {
            if (owners[item] != NONE && room[owners[item]] > 0) {
                placed[item] = owners[item];
                room[owners[item]]--;
            }
        }
        int next = 0;
        for (int item = 0; item < owners.length; item++) {
            if (placed[item] == NONE) {
                while (room[next] == 0) {
                    next++;
                }
                placed[item] = next;
                room[next]--;
            }
        }
        return answer(placed);
    }

    /**
     * Converts owners by item into items by instance, in the order of the request. Instances without items are left
     * out.
     */
    Map<String, List<String>> answer(int[] placed) {
        List<List<String>> items = new ArrayList<>();
        request.instances().forEach(instance -> items.add(new ArrayList<>()));
        for (int item = 0; item < placed.length; item++) {
            items.get(placed[item]).add(request.items().get(item));
        }
        Map<String, List<String>> answer = new LinkedHashMap<>();
        for (int instance = 0; instance < items.size(); instance++) {
            if (!items.get(instance).isEmpty()) {
                answer.put(request.instances().get(instance).id(), items.get(instance));
            }
        }
        return answer;
    }
}
