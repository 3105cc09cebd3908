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
 * A sharding request in numbers: the current owners, with items and instances as indexes in the order of the request.
 */
final class CurrentAssignment {
    /** Owner of an item without an instance. */
    static final int NONE = -1;

    private final Request request;
    /** Owners by item. */
    private final int[] owners;
    /** Numbers of items by instance. */
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

    /** Returns a copy of the owners by item, which the caller may change. */
    int[] owners() {
        return owners.clone();
    }

    /** Returns the number of items of an instance. */
    int held(int instance) {
        return held[instance];
    }

    /**
     * Returns all instances, with a different first instance for each job. The order decides ties: otherwise all
     * jobs of one item would be on the same instance.
     */
    List<Integer> turned() {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, held.length).boxed().toList());
        Collections.rotate(all, request.jobName().hashCode() % held.length);
        return all;
    }

    /**
     * Gives each of the instances an equal quota; the instances with the most items get one of the remaining items
     * each.
     */
    void level(List<Integer> instances, int items, int[] quotas) {
        List<Integer> fullestFirst = new ArrayList<>(instances);
        fullestFirst.sort(
                Comparator.comparingInt((Integer instance) -> held[instance]).reversed());
        for (int i = 0; i < fullestFirst.size(); i++) {
            quotas[fullestFirst.get(i)] = items / fullestFirst.size() + (i < items % fullestFirst.size() ? 1 : 0);
        }
    }

    /** Fills all instances up to their quotas, which add up to the number of items; current owners keep items first. */
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

    /** Returns items by instance, without empty instances, in the order of the request. */
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
