package io.ostraka.faults.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Has the faults of a plan befall a site, each for as long as planned. Those of one lane come one after the other; one that
 * comes late because the one before took longer is still as long.
 */
final class Injection {
    /** How much longer than planned all of them may take. */
    private static final Duration OVERDUE = Duration.ofMinutes(10);
    /** Until whoever was told to end has done so. */
    private static final Duration ENDING = Duration.ofMinutes(1);

    private final Blow blow;
    private final Site site;
    private final Consumer<String> log;
    private final List<Strike> strikes = new ArrayList<>();
    private final List<Fault> missed = new ArrayList<>();
    private final long begun = System.nanoTime();

    private Injection(Site site, FaultPlan plan, Consumer<String> log) {
        this.blow = new Blow(site, plan);
        this.site = site;
        this.log = log;
    }

    /**
     * What came of a plan.
     *
     * @param strikes the faults that befell somebody
     * @param missed those that found nobody whom they could befall
     */
    record Outcome(List<Strike> strikes, List<Fault> missed) {}

    /**
     * Has all of them befall; returns when the last was taken back. If one can't be brought about or taken back, nothing
     * else befalls.
     *
     * @param log is told of each, on any thread
     */
    static Outcome run(Site site, FaultPlan plan, Consumer<String> log) throws InterruptedException {
        var injection = new Injection(site, plan, log);
        Map<String, List<Fault>> lanes = new LinkedHashMap<>();
        plan.faults().forEach(fault -> lanes.computeIfAbsent(fault.lane(), lane -> new ArrayList<>())
                .add(fault));
        together(
                lanes.values().stream().map(injection::lane).toList(),
                plan.length().plus(OVERDUE));
        return injection.outcome();
    }

    /** Something that is done until it is over or somebody interrupts it. */
    interface Doing {
        void run() throws InterruptedException;
    }

    private Doing lane(List<Fault> faults) {
        return () -> {
            for (Fault fault : faults) {
                befall(fault);
            }
        };
    }

    /**
     * Does all of them at once, and returns when all are done. The first that fails ends the others.
     *
     * @throws IllegalStateException because of what the first threw, or when they are not done in time
     */
    static void together(List<Doing> all, Duration limit) throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        CompletionService<Object> ended = new ExecutorCompletionService<>(threads);
        long begun = System.nanoTime();
        try {
            all.forEach(one -> ended.submit(() -> {
                one.run();
                return one;
            }));
            for (int i = 0; i < all.size(); i++) {
                long left = limit.toNanos() - (System.nanoTime() - begun);
                Future<Object> next = ended.poll(left, TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new IllegalStateException("faults are not over after " + limit.toSeconds() + " s");
                }
                next.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a fault could not be brought about or taken back", e.getCause());
        } finally {
            threads.shutdownNow();
            threads.awaitTermination(ENDING.toSeconds(), TimeUnit.SECONDS); // what they have may be taken away then
        }
    }

    private synchronized Outcome outcome() {
        return new Outcome(List.copyOf(strikes), List.copyOf(missed));
    }

    private synchronized void note(Strike strike) {
        strikes.add(strike);
        log.accept(strike.toString());
    }

    private synchronized void miss(Fault fault) {
        missed.add(fault);
        log.accept("nobody to befall: " + fault);
    }

    private void befall(Fault fault) throws InterruptedException {
        sleep(fault.at().minusNanos(System.nanoTime() - begun));
        if (fault.kind().layer() == Fault.Layer.ENSEMBLE) {
            site.ensemble().awaitServing(); // one that has ended by itself is back first
        }
        Instant began = Instant.now();
        Optional<Blow.Remedy> remedy = blow.strike(fault);
        if (remedy.isEmpty()) {
            miss(fault);
            return;
        }
        Instant over = began.plus(fault.length());
        if (isTold(fault)) {
            began = Instant.now();
            over = began.plus(fault.length());
        } else if (fault.kind() == Fault.Kind.TELLER_KILLED) {
            began = Instant.now(); // until then it was waited for
        }
        sleep(Duration.between(Instant.now(), over));
        remedy.get().run();
        note(new Strike(fault, began, Instant.now()));
    }

    /** Whether it is in force once a worker that is told of it has answered, which can take long. */
    private static boolean isTold(Fault fault) {
        return switch (fault.kind().layer()) {
            case JOB, TRIGGER, CLOCK -> true;
            case PROCESS, NETWORK, ENSEMBLE -> false;
        };
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, time.toNanos()));
    }
}
