package io.ostraka.examples;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Shows how each strategy places twelve items on three instances, and which items move when one instance leaves and
 * another joins. Each letter stands for one item, in order, and names the item's instance; capitals mark items that
 * have moved.
 */
public final class PlacementExample {
    private static final JobInstance A = instance("a", "north", 1);
    private static final JobInstance B = instance("b", "north", 2);
    private static final JobInstance C = instance("c", "south", 1);
    private static final JobInstance D = instance("d", "south", 4);

    private static final List<String> ITEMS =
            IntStream.range(0, 12).mapToObj(Integer::toString).toList();
    /** Run times of the items. The first three items take five times as long as the others. */
    private static final Map<String, Duration> RUN_TIMES = ITEMS.stream()
            .collect(Collectors.toMap(
                    Function.identity(), item -> Duration.ofSeconds(Integer.parseInt(item) < 3 ? 50 : 10)));

    private PlacementExample() {}

    /** Runs the example. Needs no arguments. */
    public static void main(String[] arguments) {
        System.out.println(
                "a and b are in zone north, c and d in south; b weighs 2, d 4; items 0 to 2 take 5 times as long");
        System.out.printf("%-16s  %-12s  %-12s  %s%n", "", "a, b, c", "c leaves", "d joins");
        new TreeMap<>(ZooKeeperRegistry.builtInStrategies())
                .values().stream()
                        .filter(strategy -> !(strategy instanceof JobRouter))
                        .forEach(PlacementExample::print);
    }

    private static void print(JobShardingStrategy strategy) {
        Map<String, String> first = placed(strategy, List.of(A, B, C), Map.of());
        Map<String, String> second = placed(strategy, List.of(A, B), first);
        Map<String, String> third = placed(strategy, List.of(A, B, D), second);
        System.out.printf(
                "%-16s  %s  %s  %s%n", strategy.type(), row(first, first), row(first, second), row(second, third));
    }

    /** Returns the instance of each item. Like the leader, passes to the strategy only owners that are
     * alive. */
    private static Map<String, String> placed(
            JobShardingStrategy strategy, List<JobInstance> instances, Map<String, String> before) {
        Map<String, String> owners = new HashMap<>(before);
        owners.values().retainAll(instances.stream().map(JobInstance::id).toList());
        Map<String, String> next = new HashMap<>();
        strategy.shard(new JobShardingStrategy.Request("settle-orders", instances, ITEMS, owners)
                        .withRunTimes(RUN_TIMES))
                .forEach((instance, items) -> items.forEach(item -> next.put(item, instance)));
        return next;
    }

    private static String row(Map<String, String> before, Map<String, String> after) {
        return ITEMS.stream()
                .map(item -> {
                    String owner = after.getOrDefault(item, "?");
                    return owner.equals(before.get(item)) ? owner : owner.toUpperCase(Locale.ROOT);
                })
                .collect(Collectors.joining());
    }

    private static JobInstance instance(String id, String zone, int weight) {
        return new JobInstance(id, "host-" + id, zone, Map.of(), weight);
    }
}
