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

/** A request by numbers: which of the instances has which of the items, in the order of both. */
final class CurrentAssignment {
    /** Of an item that no instance has. */
    static final int NONE = -1;

    private final Request request;
    /** By item: who has it. */
    private final int[] owners;
    /** By instance: how many it has. */
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

    /** Returns who has each item, for the caller to change. */
    int[] owners() {
        return owners.clone();
    }

    /** Returns how many items an instance has. */
    int held(int instance) {
        return held[instance];
    }

    /**
     * Returns all instances, beginning somewhere else for each job. Where nothing else decides, order does: otherwise all
     * jobs of one item would be on the same instance.
     */
    List<Integer> turned() {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, held.length).boxed().toList());
        Collections.rotate(all, request.jobName().hashCode() % held.length);
        return all;
    }

    /** Gives each of some instances an equal share, and what remains one each to those that have most. */
    void level(List<Integer> instances, int items, int[] quotas) {
        List<Integer> fullestFirst = new ArrayList<>(instances);
        fullestFirst.sort(
                Comparator.comparingInt((Integer instance) -> held[instance]).reversed());
        for (int i = 0; i < fullestFirst.size(); i++) {
            quotas[fullestFirst.get(i)] = items / fullestFirst.size() + (i < items % fullestFirst.size() ? 1 : 0);
        }
    }

    /** Fills all instances up to their quotas, which are as many as there are items: first with what they have. */
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

    /** Returns items by instance, of those that have any, in the request's order of both. */
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
