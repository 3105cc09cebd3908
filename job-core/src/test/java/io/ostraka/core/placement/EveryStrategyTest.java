package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Request;
import io.ostraka.api.ShardingStrategies;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests all strategies with up to 6 instances and 20 items. Starts with every set of instances, and makes every two
 * successive changes. In each change, one instance joins or departs.
 */
class EveryStrategyTest {
    private static final int INSTANCES = 6;
    private static final int ITEMS = 20;
    private static final List<String> ZONES = List.of("a", "b", "a", "", "c", "a");
    private static final int[] WEIGHTS = {3, 1, 2, 7, 1, 4};
    private static final Map<String, Duration> TIMES = IntStream.range(0, ITEMS)
            .boxed()
            .collect(Collectors.toMap(Object::toString, item -> Duration.ofMillis(1 + item * 7 % 13 * 10L)));

    /** @param before instances before the change; null for the first plan */
    record Case(Request request, Collection<String> before, Map<String, List<String>> plan) {
        int count(int instance) {
            return plan.getOrDefault(request.instances().get(instance).id(), List.of())
                    .size();
        }

        int kept() {
            return request.owners().size() - ShardingInvariant.moves(request, plan);
        }
    }

    static Stream<Arguments> strategies() {
        BiPredicate<Case, int[]> level = (seen, held) -> within(seen, 1);
        return Stream.of(
                Arguments.of(new StickyBalancedStrategy(), (BiPredicate<Case, int[]>) (seen, held) -> within(seen, 1)
                        && seen.kept()
                                == mostKeptLevel(held, seen.request.items().size())),
                Arguments.of(new AverageAllocationStrategy(), level),
                Arguments.of(new OddEvenStrategy(), level),
                Arguments.of(new RotationStrategy(), level),
                Arguments.of(new WeightedStrategy(), (BiPredicate<Case, int[]>) EveryStrategyTest::byWeight),
                Arguments.of(new ZoneSpreadStrategy(), (BiPredicate<Case, int[]>) EveryStrategyTest::byZone),
                Arguments.of(new LoadAwareStrategy(), (BiPredicate<Case, int[]>) (seen, held) -> byLoad(seen)),
                Arguments.of(new ConsistentHashStrategy(), (BiPredicate<Case, int[]>)
                        (seen, held) -> onlyWhatDepartsOrJoins(seen)));
    }

    @Test
    void testCoversEveryStrategy() {
        Set<String> tried = strategies()
                .map(arguments -> ((JobShardingStrategy) arguments.get()[0]).type())
                .collect(Collectors.toSet());
        Stream.of(Router.values()).map(Router::type).forEach(tried::add);

        assertThat(BuiltInStrategies.all().keySet()).isEqualTo(tried);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("strategies")
    void placesEachItemOnceInBalanceWithFewMoves(JobShardingStrategy strategy, BiPredicate<Case, int[]> promise) {
        for (int items = 0; items <= ITEMS; items++) {
            for (int first = 0; first < 1 << INSTANCES; first++) {
                Map<String, String> owners = placed(strategy, promise, first, null, items, Map.of());
                for (int second : changes(first)) {
                    Map<String, String> then = placed(strategy, promise, second, first, items, owners);
                    for (int third : changes(second)) {
                        placed(strategy, promise, third, second, items, then);
                    }
                }
            }
        }
    }

    private static int[] changes(int set) {
        return IntStream.range(0, INSTANCES).map(bit -> set ^ 1 << bit).toArray();
    }

    private static Map<String, String> placed(
            JobShardingStrategy strategy,
            BiPredicate<Case, int[]> promise,
            int set,
            Integer before,
            int items,
            Map<String, String> owners) {
        if (set == 0) {
            return Map.of();
        }
        List<JobInstance> there = instances(set);
        Set<String> ids = there.stream().map(JobInstance::id).collect(Collectors.toSet());
        Map<String, String> present = new HashMap<>(owners);
        present.values().retainAll(ids);
        Request request = new Request("job", there, ShardingInvariant.items(items), present).withRunTimes(TIMES);
        Map<String, List<String>> plan = strategy.shard(request);
        Map<String, String> after = ShardingInvariant.owners(plan);
        int[] held = there.stream()
                .mapToInt(instance -> (int)
                        present.values().stream().filter(instance.id()::equals).count())
                .toArray();
        Collection<String> old = before == null
                ? List.of()
                : instances(before).stream().map(JobInstance::id).toList();
        boolean holds = after.keySet().equals(new HashSet<>(request.items()))
                && plan.values().stream().mapToInt(List::size).sum() == items
                && ids.containsAll(plan.keySet())
                && promise.test(new Case(request, old, plan), held)
                && ShardingInvariant.owners(strategy.shard(request.withOwners(after)))
                        .equals(after);
        if (!holds) {
            assertThat(plan)
                    .as("%s for %s, before: %s", strategy.type(), request, old)
                    .isNull();
        }
        return after;
    }

    private static List<JobInstance> instances(int set) {
        List<JobInstance> instances = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            if ((set >> i & 1) == 1) {
                instances.add(new JobInstance("host@" + i + "@s", "host", ZONES.get(i), Map.of(), WEIGHTS[i]));
            }
        }
        return instances;
    }

    private static boolean within(Case seen, int difference) {
        var counts = IntStream.range(0, seen.request.instances().size())
                .map(seen::count)
                .summaryStatistics();
        return counts.getMax() - counts.getMin() <= difference;
    }

    private static boolean byWeight(Case seen, int[] held) {
        List<JobInstance> instances = seen.request.instances();
        int items = seen.request.items().size();
        int weights = instances.stream().mapToInt(JobInstance::weight).sum();
        int[][] counts = new int[held.length][];
        for (int i = 0; i < held.length; i++) {
            int share = items * instances.get(i).weight();
            counts[i] = share % weights == 0
                    ? new int[] {share / weights}
                    : new int[] {share / weights, share / weights + 1};
            int count = seen.count(i);
            if (IntStream.of(counts[i]).noneMatch(allowed -> allowed == count)) {
                return false;
            }
        }
        return seen.kept() == mostKept(held, counts, items);
    }

    private static boolean byZone(Case seen, int[] held) {
        Map<String, List<Integer>> zones = new TreeMap<>();
        for (int i = 0; i < held.length; i++) {
            zones.computeIfAbsent(seen.request.instances().get(i).zone(), zone -> new ArrayList<>())
                    .add(i);
        }
        var totals = zones.values().stream()
                .mapToInt(zone -> zone.stream().mapToInt(seen::count).sum())
                .summaryStatistics();
        boolean level = zones.values().stream().allMatch(zone -> {
            var counts = zone.stream().mapToInt(seen::count).summaryStatistics();
            return counts.getMax() - counts.getMin() <= 1;
        });
        if (!level || totals.getMax() - totals.getMin() > 1) {
            return false;
        }
        int items = seen.request.items().size();
        int equal = items / zones.size();
        // most[n]: the largest number of items that the zones processed so far can keep if n of them have one item more
        int[] most = new int[zones.size() + 1];
        Arrays.fill(most, -1);
        most[0] = 0;
        for (List<Integer> zone : zones.values()) {
            int[] has = zone.stream().mapToInt(i -> held[i]).toArray();
            for (int n = zones.size(); n >= 0; n--) {
                int without = most[n] < 0 ? -1 : most[n] + mostKeptLevel(has, equal);
                int with = n == 0 || most[n - 1] < 0 ? -1 : most[n - 1] + mostKeptLevel(has, equal + 1);
                most[n] = Math.max(without, with);
            }
        }
        return seen.kept() == most[items % zones.size()];
    }

    /** Returns the largest number of items that can stay if the counts of the instances differ by at most one. */
    private static int mostKeptLevel(int[] held, int items) {
        int[][] counts = new int[held.length][];
        Arrays.fill(counts, new int[] {items / held.length, items / held.length + 1});
        return mostKept(held, counts, items);
    }

    /** Returns the largest number of items that can stay. Tries all given counts of each instance. */
    private static int mostKept(int[] held, int[][] counts, int items) {
        int[] most = new int[items + 1];
        Arrays.fill(most, -1);
        most[0] = 0;
        for (int i = 0; i < held.length; i++) {
            int[] next = new int[items + 1];
            Arrays.fill(next, -1);
            for (int count : counts[i]) {
                for (int n = 0; n + count <= items; n++) {
                    if (most[n] >= 0) {
                        next[n + count] = Math.max(next[n + count], most[n] + Math.min(held[i], count));
                    }
                }
            }
            most = next;
        }
        return most[items];
    }

    private static boolean byLoad(Case seen) {
        boolean everyoneStays =
                seen.request.owners().size() == seen.request.items().size();
        boolean reason = gains(seen.request, owned(seen.request.owners()), 0.8);
        if (everyoneStays && !reason) {
            return ShardingInvariant.moves(seen.request, seen.plan) == 0;
        }
        return !gains(seen.request, seen.plan, 0.9);
    }

    private static Map<String, List<String>> owned(Map<String, String> owners) {
        return owners.keySet().stream().collect(Collectors.groupingBy(owners::get));
    }

    /**
     * Returns true if moving an item would pay off: if the instance with the smallest load had the item, its load would
     * be at most {@code factor} times the present load of the item's owner.
     */
    static boolean gains(Request request, Map<String, List<String>> plan, double factor) {
        Map<String, Long> loads = new HashMap<>();
        request.instances().forEach(instance -> loads.put(instance.id(), 0L));
        plan.forEach((instance, items) -> loads.put(
                instance,
                items.stream()
                        .mapToLong(item -> request.runTimes().get(item).toMillis())
                        .sum()));
        long least = loads.values().stream().min(Long::compare).orElseThrow();
        return plan.entrySet().stream().anyMatch(entry -> entry.getValue().stream()
                .anyMatch(
                        item -> least + request.runTimes().get(item).toMillis() <= factor * loads.get(entry.getKey())));
    }

    private static boolean onlyWhatDepartsOrJoins(Case seen) {
        Map<String, String> after = ShardingInvariant.owners(seen.plan);
        return seen.request.owners().entrySet().stream()
                .allMatch(owned -> after.get(owned.getKey()).equals(owned.getValue())
                        || !seen.before.contains(after.get(owned.getKey())));
    }

    @Test
    void apiNamesExactlyTheBuiltInStrategies() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (Field constant : ShardingStrategies.class.getFields()) {
            names.add((String) constant.get(null));
        }
        assertThat(BuiltInStrategies.all().keySet()).isEqualTo(names);
    }
}
