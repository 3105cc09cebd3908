package io.ostraka.faults.simulation;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.JobOverride;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Violation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Runs a scenario and checks its history. Faults happen for two minutes. Then all faults end, except those that the
 * engine must repair itself. At the end there is a calm phase, in which the checker tolerates no problems. A simulation
 * takes milliseconds, and only one of its threads runs at a time.
 */
public final class Simulation {
    private static final Duration MENDING = Duration.ofSeconds(25);
    /** Length of a job's pause that ends by itself during the recovery. */
    private static final Duration PAUSED = Duration.ofSeconds(25);

    private static final Duration RECOVERY = Duration.ofSeconds(60);
    private static final Duration CALM = Duration.ofSeconds(30);
    /** Time for which each undisturbed command (freeze, drain and eviction) is observed. */
    private static final Duration COMMAND = Duration.ofSeconds(15);

    private static final Duration CLOSING = Duration.ofSeconds(10);
    private static final int TRIES = 10;

    /** Threads for code that may pause, shared by all simulations of the process. */
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "code");
        thread.setDaemon(true);
        return thread;
    });

    private final Scenario scenario;
    private final Cluster cluster;
    private final FaultInjector injector;

    private Simulation(Scenario scenario, CoordinationHooks hooks) {
        this.scenario = scenario;
        cluster = new Cluster(scenario, hooks, THREADS);
        injector = new FaultInjector(cluster);
    }

    /**
     * Result of a simulation.
     *
     * @param history all recorded events
     * @param steps number of tasks, timers and faults
     * @param violations violations of invariants
     */
    public record Result(List<Event> history, long steps, List<Violation> violations) {
        /** Copies the lists. */
        public Result {
            history = List.copyOf(history);
            violations = List.copyOf(violations);
        }
    }

    /** Runs a scenario on the unchanged engine. */
    public static Result run(Scenario scenario) {
        return run(scenario, CoordinationHooks.NONE);
    }

    /** Runs a scenario on an engine whose lower layers are wrapped. */
    public static Result run(Scenario scenario, CoordinationHooks hooks) {
        var simulation = new Simulation(scenario, hooks);
        List<Violation> violations = new ArrayList<>();
        try {
            simulation.run();
        } catch (RuntimeException e) { // thrown by the engine, or by the scheduler because of an endless loop
            violations.add(new Violation("I7", "an exception escaped from the engine: " + Text.of(e), List.of()));
        } finally {
            simulation.cluster.discard();
        }
        List<Event> history = simulation.cluster.history();
        violations.addAll(HistoryChecker.check(history));
        return new Result(history, simulation.cluster.scheduler.steps(), violations);
    }

    private void run() {
        for (int i = 0; i < scenario.instances(); i++) {
            cluster.join("host-" + i, i, scenario.skews().get(i));
        }
        cluster.scheduler.advance(Duration.ofSeconds(1));
        scenario.jobs().forEach(cluster::schedule);
        cluster.scheduler.advance(Duration.ofSeconds(1));
        for (int i = 0; i < scenario.instances(); i++) {
            cluster.slow(cluster.instances.get(i), scenario.latencies().get(i));
        }
        injector.announce(scenario.faults());
        cluster.scheduler.advance(Scenario.FAULT_PHASE);
        injector.mend();
        cluster.scheduler.advance(MENDING);
        for (JobConfiguration job : scenario.jobs()) {
            cluster.living().forEach(instance -> cluster.register(instance, job.jobName()));
            putInOrder(job);
        }
        cluster.scheduler.advance(Duration.ofSeconds(15));
        // registers again, because some instances were still releasing the job
        scenario.jobs().forEach(job -> cluster.living().forEach(instance -> cluster.register(instance, job.jobName())));
        cluster.scheduler.advance(RECOVERY);
        if (scenario.commanded()) {
            command();
        }
        cluster.record(new Event.Calm(cluster.scheduler.now()));
        cluster.recordRequests();
        cluster.scheduler.advance(CALM);
        cluster.recordDefinitions();
        cluster.recordHealth(); // first, because the check of the requests needs the sessions that the health names
        cluster.recordRequests();
        cluster.record(new Event.Over(
                cluster.scheduler.now(),
                cluster.living().stream().map(instance -> instance.name).collect(Collectors.toSet())));
        cluster.living().forEach(cluster::close);
        cluster.scheduler.advance(CLOSING);
        cluster.recordCounts();
        cluster.record(new Event.Closed(cluster.scheduler.now()));
    }

    /** Gives commands while no fault disturbs them. The leader ends the freeze, and an operator ends the drain. */
    private void command() {
        cluster.record(new Event.Undisturbed(cluster.scheduler.now()));
        injector.commands().freeze(COMMAND, false);
        cluster.scheduler.advance(COMMAND.plusSeconds(5));
        Instance target = cluster.living().get(0);
        injector.commands().drain(target.host, null, false);
        cluster.scheduler.advance(COMMAND);
        injector.commands().undrain(target.host);
        cluster.scheduler.advance(Duration.ofSeconds(5));
        target.engine.instanceId().ifPresent(injector.commands()::evict);
        cluster.scheduler.advance(RECOVERY);
    }

    /**
     * Gives the job a random item count, if its item count may change. Keeps the time up to which fires are skipped,
     * and removes all other overrides. In some scenarios, also pauses the job for some time.
     */
    private void putInOrder(JobConfiguration job) {
        Integer count = job.shardingTotalCount() > Scenario.MOST_ITEMS || Scenario.FIXED.contains(job.jobName())
                ? null
                : Integer.valueOf(1 + cluster.scheduler.random().nextInt(Scenario.MOST_ITEMS));
        Instant now = cluster.scheduler.now();
        JobOverride.Change pause = new JobOverride.Change("operator", "", now, now.plus(PAUSED));
        boolean paused = Math.floorMod(scenario.seed(), 4) == 0;
        UnaryOperator<JobOverride> change = present -> {
            JobOverride next =
                    JobOverride.NONE.withShardingTotalCount(count).withSkipTo(present.skipTo()); // it must not decrease
            return paused ? next.withPaused(true).because(pause, Set.of("paused")) : next;
        };
        for (int i = 0; i < TRIES; i++) {
            CompletableFuture<Void> done = cluster.amend(cluster.living().get(0), job.jobName(), change);
            cluster.scheduler.advance(Duration.ofSeconds(2));
            if (done.isDone() && !done.isCompletedExceptionally()) {
                return;
            }
        }
        throw new IllegalStateException("job " + job.jobName() + " still refuses changes after the faults");
    }
}
