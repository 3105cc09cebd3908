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
 * Injects the faults of a plan into a site, each for its planned duration. Faults with the same target follow one
 * another. If a fault begins late because the fault before it took longer, it still lasts for its full duration.
 */
final class Injection {
    /** Longest time that the injection may take beyond its planned duration. */
    private static final Duration OVERDUE = Duration.ofMinutes(10);
    /** Longest wait until the interrupted threads have ended. */
    private static final Duration ENDING = Duration.ofMinutes(1);

    private final FaultActions actions;
    private final Site site;
    private final Consumer<String> log;
    private final List<InjectedFault> injectedFaults = new ArrayList<>();
    private final List<Fault> missed = new ArrayList<>();
    private final long begun = System.nanoTime();

    private Injection(Site site, FaultPlan plan, Consumer<String> log) {
        this.actions = new FaultActions(site, plan);
        this.site = site;
        this.log = log;
    }

    /**
     * Result of the injection of a plan's faults.
     *
     * @param injectedFaults faults that were injected
     * @param missed faults that were not injected, because their target was not available
     */
    record Outcome(List<InjectedFault> injectedFaults, List<Fault> missed) {}

    /**
     * Injects all faults. Returns when the last fault has been undone. If a fault cannot be injected or undone, no
     * further fault is injected.
     *
     * @param log receives a line for each fault, on any thread
     */
    static Outcome run(Site site, FaultPlan plan, Consumer<String> log) throws InterruptedException {
        var injection = new Injection(site, plan, log);
        Map<String, List<Fault>> byTarget = new LinkedHashMap<>();
        plan.faults().forEach(fault -> byTarget.computeIfAbsent(fault.targetName(), target -> new ArrayList<>())
                .add(fault));
        together(
                byTarget.values().stream().map(injection::serially).toList(),
                plan.length().plus(OVERDUE));
        return injection.outcome();
    }

    /** A task that runs until it ends or its thread is interrupted. */
    interface Task {
        void run() throws InterruptedException;
    }

    private Task serially(List<Fault> faults) {
        return () -> {
            for (Fault fault : faults) {
                inject(fault);
            }
        };
    }

    /**
     * Runs all tasks at the same time. Returns when all tasks have ended. When one task fails, the other tasks are
     * interrupted.
     *
     * @throws IllegalStateException if a task fails, with the first failure as its cause, or if the tasks do not end in
     *     time
     */
    static void together(List<Task> all, Duration limit) throws InterruptedException {
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
                    throw new IllegalStateException("faults have not ended after " + limit.toSeconds() + " s");
                }
                next.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a fault could not be injected or taken back", e.getCause());
        } finally {
            threads.shutdownNow();
            threads.awaitTermination(ENDING.toSeconds(), TimeUnit.SECONDS); // the caller may close their resources next
        }
    }

    private synchronized Outcome outcome() {
        return new Outcome(List.copyOf(injectedFaults), List.copyOf(missed));
    }

    private synchronized void note(InjectedFault injected) {
        injectedFaults.add(injected);
        log.accept(injected.toString());
    }

    private synchronized void miss(Fault fault) {
        missed.add(fault);
        log.accept("no target: " + fault);
    }

    private void inject(Fault fault) throws InterruptedException {
        sleep(fault.at().minusNanos(System.nanoTime() - begun));
        if (fault.kind().layer() == Fault.Layer.ENSEMBLE) {
            site.ensemble().awaitServing(); // if the servers are down, waits until they serve
        }
        Instant began = Instant.now();
        Optional<FaultActions.Repair> repair = actions.inject(fault);
        if (repair.isEmpty()) {
            miss(fault);
            return;
        }
        Instant over = began.plus(fault.length());
        if (isTold(fault)) {
            began = Instant.now();
            over = began.plus(fault.length());
        } else if (fault.kind() == Fault.Kind.TELLER_KILLED) {
            began = Instant.now(); // the fault begins when the once-listener has been called
        }
        sleep(Duration.between(Instant.now(), over));
        repair.get().run();
        note(new InjectedFault(fault, began, Instant.now()));
    }

    /** Returns whether the fault begins only when a worker executes a command, which can take a long time. */
    private static boolean isTold(Fault fault) {
        return switch (fault.kind().layer()) {
            case JOB, TRIGGER, CLOCK -> true;
            case PROCESS, NETWORK, ENSEMBLE, DATABASE -> false;
        };
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, time.toNanos()));
    }
}
