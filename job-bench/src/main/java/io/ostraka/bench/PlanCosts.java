package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.core.decide.Circumstances;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.decide.placement.BuiltInStrategy;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The program behind {@code bin/bench --plans}: what deciding on a plan costs at the largest size, 100,000 items on 1,000
 * instances, for each strategy of items. A plan where nobody has anything yet, one after a departure, and one after a join:
 * what the leader computes, without reading or writing. The median of some rounds, after others that aren't counted.
 */
public final class PlanCosts {
    private static final int INSTANCES = 1_000;
    private static final int UNCOUNTED = 3;
    private static final int ROUNDS = 7;
    private static final Instant AT = Instant.EPOCH;
    private static final FireTimes NEVER = new FireTimes() {
        @Override
        public Optional<Instant> next(Instant after) {
            return Optional.empty();
        }

        @Override
        public List<Instant> latest(Instant after, Instant upTo, int max) {
            return List.of();
        }

        @Override
        public long count(Instant after, Instant upTo) {
            return 0;
        }
    };

    private final PrintStream out;
    private final Circumstances measured;

    private PlanCosts(PrintStream out) {
        this.out = out;
        Map<String, Duration> times = new HashMap<>();
        for (int item = 0; item < JobConfiguration.MAX_ITEMS; item++) {
            times.put(Integer.toString(item), Duration.ofMillis(10 + item * 7919L % 1_000));
        }
        measured = new Circumstances(times, Map.of(), Set.of(), null);
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        new PlanCosts(System.out).print();
    }

    private void print() {
        out.println("| strategy | first plan, ms | after a departure, ms | after a join, ms | moved by these"
                + " | most and fewest items |");
        out.println("|---|---|---|---|---|---|");
        new TreeMap<>(BuiltInStrategy.all())
                .values().stream()
                        .filter(strategy -> !(strategy instanceof JobRouter))
                        .forEach(this::print);
        long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        out.printf(
                Locale.ROOT,
                "heap: at most %d MiB used of %d%n",
                peak >> 20,
                Runtime.getRuntime().maxMemory() >> 20);
    }

    private void print(JobShardingStrategy strategy) {
        ShardingPlan empty = new ShardingPlan(
                JobConfiguration.MAX_ITEMS,
                1,
                1,
                0,
                0,
                Schedule.onDemand(),
                AT,
                AT,
                List.of(),
                1,
                null,
                null,
                Map.of());
        ShardingPlan plan = decided(strategy, empty, 0, INSTANCES);
        var counts = plan.items().values().stream().mapToInt(List::size).summaryStatistics();
        out.printf(
                Locale.ROOT,
                "| `%s` | %d | %d | %d | %d, %d | %d, %d |%n",
                strategy.type(),
                millis(() -> decided(strategy, empty, 0, INSTANCES)),
                millis(() -> decided(strategy, plan, 1, INSTANCES)),
                millis(() -> decided(strategy, plan, 0, INSTANCES + 1)),
                moves(plan, decided(strategy, plan, 1, INSTANCES)),
                moves(plan, decided(strategy, plan, 0, INSTANCES + 1)),
                counts.getMax(),
                counts.getMin());
    }

    private ShardingPlan decided(JobShardingStrategy strategy, ShardingPlan plan, int from, int to) {
        List<InstanceInfo> instances = IntStream.range(from, to)
                .mapToObj(i -> new InstanceInfo(
                        new JobInstance("host-" + i + "@1@" + i, "host-" + i, "zone-" + i % 3, Map.of(), 1 + i % 4),
                        1,
                        InstanceInfo.State.WORKING,
                        false,
                        Set.of("job"),
                        List.of(),
                        Map.of()))
                .toList();
        PlanDecision decision = Planning.decide(new Planning.Observation(
                JobConfiguration.newBuilder("job", plan.total()).build(),
                JobOverride.NONE,
                1,
                1,
                0,
                plan,
                1,
                instances,
                null,
                strategy,
                measured,
                NEVER,
                AT,
                Duration.ofMinutes(10)));
        ShardingPlan next = decision instanceof PlanDecision.Write write ? write.plan() : plan;
        if (next == null) {
            throw new IllegalStateException("no plan: " + decision);
        }
        return next;
    }

    private static long millis(Supplier<ShardingPlan> work) {
        long[] times = new long[ROUNDS];
        for (int round = -UNCOUNTED; round < ROUNDS; round++) {
            long begun = System.nanoTime();
            ShardingPlan done = work.get();
            if (round >= 0 && done.total() > 0) {
                times[round] = System.nanoTime() - begun;
            }
        }
        Arrays.sort(times);
        return Duration.ofNanos(times[ROUNDS / 2]).toMillis();
    }

    /** Of items that were with another before. */
    private static long moves(ShardingPlan before, ShardingPlan after) {
        Map<String, String> owners = after.owners();
        return before.owners().entrySet().stream()
                .filter(entry -> !entry.getValue().equals(owners.get(entry.getKey())))
                .count();
    }
}
