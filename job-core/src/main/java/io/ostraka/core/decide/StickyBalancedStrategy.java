package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Keeps items where they are as far as counts that differ by at most one allow, and moves no item besides. Weights are
 * not looked at. The same request always gets the same answer. Thread-safe; never answers null.
 *
 * <p>No balanced plan moves fewer items. Let n items be on k instances, q = n / k and r = n mod k. Counts that differ
 * by at most one leave no choice but this: r instances have q + 1, the others q. An instance that holds h items now and
 * may have c of them keeps at most min(h, c), so a balanced plan keeps at most
 *
 * <pre>  Σ min(h, q)  +  how many of the r instances with q + 1 hold more than q</pre>
 *
 * <p>The first sum is the same for every plan. The second is largest when the places of q + 1 go to those that hold
 * most, because whoever holds more than q then comes before everybody who doesn't; and each instance here keeps exactly
 * its min(h, c). Items without an owner must be placed in any plan and cost none of it a move.
 */
public final class StickyBalancedStrategy implements JobShardingStrategy {
    @Override
    public String type() {
        return JobConfiguration.DEFAULT_STRATEGY;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        Map<String, Integer> room = quotas(request);
        Map<String, String> placed = new HashMap<>();
        List<String> unplaced = new ArrayList<>();
        for (String item : request.items()) {
            String owner = request.owners().get(item);
            if (owner != null && room.getOrDefault(owner, 0) > 0) {
                room.merge(owner, -1, Integer::sum);
                placed.put(item, owner);
            } else {
                unplaced.add(item);
            }
        }
        int next = 0;
        for (JobInstance instance : request.instances()) {
            for (int left = room.getOrDefault(instance.id(), 0); left > 0; left--) {
                placed.put(unplaced.get(next++), instance.id());
            }
        }
        // in the order of the request, so that equal plans are equal values
        return request.items().stream().collect(Collectors.groupingBy(placed::get));
    }

    /**
     * How many items each instance gets, the larger numbers for those that hold most. Among equals the job's name
     * decides: with the order alone, all jobs of one item would be on the same instance.
     */
    private static Map<String, Integer> quotas(Request request) {
        Map<String, Integer> held = new HashMap<>();
        request.items().forEach(item -> {
            String owner = request.owners().get(item);
            if (owner != null) {
                held.merge(owner, 1, Integer::sum);
            }
        });
        List<JobInstance> fullestFirst = new ArrayList<>(request.instances());
        Collections.rotate(fullestFirst, request.jobName().hashCode() % fullestFirst.size());
        fullestFirst.sort(Comparator.comparingInt((JobInstance instance) -> held.getOrDefault(instance.id(), 0))
                .reversed());
        int quota = request.items().size() / fullestFirst.size();
        int remainder = request.items().size() % fullestFirst.size();
        Map<String, Integer> quotas = new HashMap<>();
        for (int i = 0; i < fullestFirst.size(); i++) {
            quotas.put(fullestFirst.get(i).id(), i < remainder ? quota + 1 : quota);
        }
        return quotas;
    }
}
