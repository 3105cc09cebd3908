package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.decide.Placement;
import io.ostraka.core.decide.PlacementContext;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the time in which the leader computes the plan of a job, without reads and writes: the first plan, the plan
 * after an instance has left, and the plan after an instance has joined.
 */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@NullUnmarked // JMH sets the fields
public class PlanBenchmark {
    private static final Instant AT = Instant.EPOCH;

    /** The strategy's type. */
    @Param("STICKY_BALANCED")
    public String strategy;

    /** Number of instances. */
    @Param("1000")
    public int instances;

    /** Number of items. */
    @Param("100000")
    public int items;

    private JobShardingStrategy asked;
    private PlacementContext circumstances;
    private ShardingPlan empty;
    private ShardingPlan plan;

    /** Computes the plan that is in force before the measurement. */
    @Setup
    public void plan() {
        asked = BuiltInStrategies.all().get(strategy);
        Map<String, Duration> times = new HashMap<>();
        for (int item = 0; item < items; item++) {
            times.put(Integer.toString(item), Duration.ofMillis(10 + item * 7919L % 1_000));
        }
        circumstances = new PlacementContext(times, Map.of(), Set.of(), null);
        empty = ShardingPlan.of(items, 1, Scope.SHARDED, Schedule.onDemand(), AT, 1)
                .madeFrom(1, 0, 0);
        plan = first();
    }

    /** Plans items that have no owners yet. */
    @Benchmark
    public ShardingPlan first() {
        return decided(empty, 0, instances);
    }

    /** Plans the items after the first instance has left. */
    @Benchmark
    public ShardingPlan departure() {
        return decided(plan, 1, instances);
    }

    /** Plans the items after an instance has joined. */
    @Benchmark
    public ShardingPlan join() {
        return decided(plan, 0, instances + 1);
    }

    /** Returns the number of items whose owner differs from the plan in force. */
    long moved(ShardingPlan next) {
        Map<String, String> owners = next.owners();
        return plan.owners().entrySet().stream()
                .filter(entry -> !entry.getValue().equals(owners.get(entry.getKey())))
                .count();
    }

    private ShardingPlan decided(ShardingPlan before, int from, int to) {
        List<InstanceInfo> living = IntStream.range(from, to)
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
                new Planning.Wanted(
                        JobConfiguration.newBuilder("job", before.total()).build(), JobOverride.NONE, 1, 1, 0),
                new Planning.Present(before, 1, null, Set.of(), null),
                new Placement.Candidates(living, asked, circumstances),
                FireSchedules.of("job", Schedule.onDemand(), AT),
                AT,
                new Planning.Limits(Duration.ofMinutes(10), Planning.BATCH, Duration.ofSeconds(10))));
        ShardingPlan next = decision instanceof PlanDecision.Write write ? write.plan() : before;
        if (next == null || next.owners().size() != items) {
            throw new IllegalStateException("not a plan of all items: " + decision);
        }
        return next;
    }
}
