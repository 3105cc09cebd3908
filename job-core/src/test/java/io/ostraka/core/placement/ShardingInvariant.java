package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Checks invariant I5 of a plan, and creates requests for tests of strategies. */
public final class ShardingInvariant {
    private ShardingInvariant() {}

    /**
     * Checks that each item is placed exactly once, on instances of the request, with counts that differ by at
     * most one.
     */
    static void assertHolds(Request request, Map<String, List<String>> plan) {
        Map<String, String> owners = owners(plan);
        int placed = plan.values().stream().mapToInt(List::size).sum();
        int[] counts = request.instances().stream()
                .mapToInt(
                        instance -> plan.getOrDefault(instance.id(), List.of()).size())
                .toArray();
        // one assertion for a case instead of five: there are hundreds of thousands of cases
        boolean holds = placed == request.items().size()
                && owners.keySet().containsAll(request.items())
                && owners.size() == placed
                && request.instances().stream().map(JobInstance::id).toList().containsAll(plan.keySet())
                && IntStream.of(counts).max().orElseThrow()
                                - IntStream.of(counts).min().orElseThrow()
                        <= 1;
        if (!holds) {
            assertThat(plan).as("plan for %s", request).isNull();
        }
    }

    /** Returns the owner of each item in a plan. */
    public static Map<String, String> owners(Map<String, List<String>> plan) {
        Map<String, String> owners = new HashMap<>();
        plan.forEach((instance, items) -> items.forEach(item -> owners.put(item, instance)));
        return owners;
    }

    /** Returns the number of items that had an owner and have a different one in the plan. */
    static int moves(Request request, Map<String, List<String>> plan) {
        Map<String, String> after = owners(plan);
        return (int) request.owners().entrySet().stream()
                .filter(before -> !before.getValue().equals(after.get(before.getKey())))
                .count();
    }

    /**
     * Returns a request for the given number of items, with one instance for each set bit. Owners that are not among
     * these instances are left out.
     */
    static Request request(int instanceBits, int items, Map<String, String> ownersBefore) {
        List<JobInstance> instances = IntStream.range(0, Integer.SIZE)
                .filter(i -> (instanceBits >> i & 1) == 1)
                .mapToObj(ShardingInvariant::instance)
                .toList();
        List<String> ids = instances.stream().map(JobInstance::id).toList();
        Map<String, String> owners = new HashMap<>(ownersBefore);
        owners.values().retainAll(ids);
        return new Request("job", instances, items(items), owners);
    }

    public static JobInstance instance(int number) {
        return new JobInstance("host@" + number + "@s", "host", "", Map.of(), 1);
    }

    static List<String> items(int count) {
        List<String> items = new ArrayList<>();
        for (int item = 0; item < count; item++) {
            items.add(Integer.toString(item));
        }
        return items;
    }
}
