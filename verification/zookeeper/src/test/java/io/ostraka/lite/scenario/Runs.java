package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Records every run of a job, lets tests wait for runs, and checks their invariants. Thread-safe. */
final class Runs {
    /** A started run. */
    record Ran(String fire, int item, int total, int attempt, String instance, long token) {}

    private final List<Ran> all = new ArrayList<>();
    private final List<Ran> ended = new ArrayList<>();

    /** Returns a job that records the beginning of each run, delegates to another job, and records the end. */
    SimpleJob recording(SimpleJob then) {
        return context -> {
            Ran run = ran(context);
            add(all, run);
            then.execute(context);
            add(ended, run);
        };
    }

    SimpleJob recording() {
        return recording(context -> {});
    }

    private static Ran ran(ShardingContext context) {
        return new Ran(
                context.runId(),
                context.shardingItem(),
                context.shardingTotalCount(),
                context.attempt(),
                context.instanceId(),
                context.fencingToken());
    }

    private synchronized void add(List<Ran> to, Ran run) {
        to.add(run);
        notifyAll();
    }

    synchronized List<Ran> all() {
        return List.copyOf(all);
    }

    /** Waits until the recorded runs satisfy a condition, or until JUnit interrupts the test at its time limit. */
    synchronized void await(String what, Predicate<List<Ran>> condition) {
        while (!condition.test(all)) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what + "; runs: " + all, e);
            }
        }
    }

    /** Waits until the given number of further runs satisfy a condition. */
    void awaitMore(int count, Predicate<Ran> which) {
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
        assertTokensRise();
    }

    /**
     * Checks that the code of no item of a fire ended twice. A run that has lost its item may begin a second time on
     * another instance, because the first attempt fails when it uses its item.
     */
    void assertNothingEndedTwice() {
        List<Ran> ends;
        synchronized (this) {
            ends = List.copyOf(ended);
        }
        assertThat(ends).as("ends").isNotEmpty();
        Map<String, List<Ran>> twice =
                ends.stream().collect(Collectors.groupingBy(run -> run.fire + " item " + run.item));
        twice.values().removeIf(of -> of.size() == 1);
        assertThat(twice).as("fires that ended more than once").isEmpty();
        assertTokensRise();
    }

    private void assertTokensRise() {
        Map<Integer, Long> tokens = new HashMap<>();
        for (Ran run : all()) {
            assertThat(run.token).as("token of %s", run).isGreaterThan(tokens.getOrDefault(run.item, 0L));
            tokens.put(run.item, run.token);
        }
    }
}
