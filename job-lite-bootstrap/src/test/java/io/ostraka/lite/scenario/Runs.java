package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Records every run of a job, lets tests wait for runs, and checks their invariants. Thread-safe. */
final class Runs {
    /** A started run. */
    record Ran(String fire, int item, int total, int attempt, String instance, long token) {}

    private final List<Ran> all = new ArrayList<>();

    /** Returns a job that records each run before it delegates to another. */
    SimpleJob recording(SimpleJob then) {
        return context -> {
            add(context);
            then.execute(context);
        };
    }

    SimpleJob recording() {
        return recording(context -> {});
    }

    private synchronized void add(ShardingContext context) {
        all.add(new Ran(
                context.runId(),
                context.shardingItem(),
                context.shardingTotalCount(),
                context.attempt(),
                context.instanceId(),
                context.fencingToken()));
        notifyAll();
    }

    synchronized List<Ran> all() {
        return List.copyOf(all);
    }

    /** Waits until the recorded runs satisfy a condition. */
    synchronized void await(String what, Predicate<List<Ran>> condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (!condition.test(all)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            assertThat(left).as("waiting for %s; runs: %s", what, all).isPositive();
            wait(left);
        }
    }

    /** Waits until the given number of further runs satisfy a condition. */
    void awaitMore(int count, Predicate<Ran> which) throws InterruptedException {
        long before = all().stream().filter(which).count();
        await(count + " more runs", runs -> runs.stream().filter(which).count() >= before + count);
    }

    /** Checks that every item of a fire ran once, with rising tokens. Only for tests without crashes. */
    void assertNothingRanTwice() {
        assertThat(all()).as("runs").isNotEmpty();
        Map<String, Long> counts = all().stream()
                .collect(Collectors.groupingBy(run -> run.fire + " item " + run.item, Collectors.counting()));
        counts.values().removeIf(count -> count == 1);
        assertThat(counts).as("fires that ran more than once").isEmpty();
        Map<Integer, Long> tokens = new HashMap<>();
        for (Ran run : all()) {
            assertThat(run.token).as("token of %s", run).isGreaterThan(tokens.getOrDefault(run.item, 0L));
            tokens.put(run.item, run.token);
        }
    }
}
