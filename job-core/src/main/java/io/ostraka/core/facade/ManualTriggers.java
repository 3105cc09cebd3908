package io.ostraka.core.facade;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Lane;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The manual triggers that wait, and the ends of those that this instance asked for. Confined to the instance's lane. */
final class ManualTriggers {
    private static final Logger log = LoggerFactory.getLogger(ManualTriggers.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** How many audits in a row may find no trace of a run before it is given up. */
    private static final int AUDITS_WITHOUT_TRACE = 2;

    private final Fires fires;
    private final Timer timer;
    private final Lane lane;
    private final Executor workers;
    private final BooleanSupplier established;
    private final Predicate<String> undefined;
    private final BiConsumer<String, List<Trigger>> changed;
    private final Map<String, RunHandle> runs = new HashMap<>();

    /**
     * What was found of a run.
     *
     * @param pending whether it is to come later
     */
    private record Trace(boolean pending, Optional<Versioned<FireProgress>> progress) {}

    private List<Trigger> waiting = List.of();
    private boolean reading;
    private boolean stale;

    /**
     * @param established whether ZooKeeper can be asked
     * @param undefined whether the definition of a job is still on its way from here; {@link #defined} tells when it is there
     * @param changed told the job whose triggers have changed, and all triggers
     */
    ManualTriggers(
            Fires fires,
            Timer timer,
            Lane lane,
            Executor workers,
            BooleanSupplier established,
            Predicate<String> undefined,
            BiConsumer<String, List<Trigger>> changed) {
        this.fires = fires;
        this.timer = timer;
        this.lane = lane;
        this.workers = workers;
        this.established = established;
        this.undefined = undefined;
        this.changed = changed;
    }

    /** All triggers that wait or are worked off, oldest first. */
    List<Trigger> waiting() {
        return waiting;
    }

    /** Asks for a run, for as long as it takes. */
    void add(RunHandle run) {
        runs.put(run.runId(), run);
        fires.follow(run.request.job(), run.runId(), true);
        submit(run);
    }

    private void submit(RunHandle run) {
        if (!established.getAsBoolean() || run.submitting || run.accepted || !runs.containsKey(run.runId())) {
            return; // the next connection submits it, if nothing else does
        }
        if (undefined.test(run.request.job())) {
            return; // to the job's first records a trigger that is older than its definition is history
        }
        run.submitting = true;
        RunHandle.Later later = run.later;
        CompletionStage<String> submitted = later == null
                ? fires.trigger(run.request).thenApply(done -> run.runId())
                : fires.triggerLater(run.request, later.key(), later.delay());
        submitted.whenComplete((runId, error) -> lane.execute(() -> {
            run.submitting = false;
            if (error == null) {
                accepted(run, runId);
            } else {
                log.debug("run {} is not accepted yet: {}", run.runId(), error.toString());
                later(() -> submit(run));
            }
        }));
    }

    /** ZooKeeper has a trigger, or another one that it has merged into. */
    private void accepted(RunHandle run, String runId) {
        RunHandle counts = run;
        if (!runId.equals(run.runId())) {
            forget(run);
            counts = runs.get(runId);
            if (counts == null) {
                counts = run.mergedInto(runId);
                runs.put(runId, counts);
                fires.follow(run.request.job(), runId, true);
            }
        }
        counts.accepted = true;
        if (run.later != null) {
            RunHandle told = counts;
            workers.execute(() -> run.later.accepted().complete(told));
        }
        look(counts, false);
    }

    /** A job's definition is there, or will not come from here. */
    void defined(String job) {
        List.copyOf(runs.values()).stream()
                .filter(run -> run.request.job().equals(job))
                .forEach(this::submit);
    }

    /** Goes on after a connection. */
    void connected() {
        read();
        for (RunHandle run : List.copyOf(runs.values())) {
            if (run.accepted) {
                look(run, false);
            } else {
                submit(run);
            }
        }
    }

    /** The progress of a fire has changed. */
    void fireChanged(String fire) {
        RunHandle run = runs.get(fire);
        if (run != null) {
            look(run, false);
        }
    }

    private void look(RunHandle run, boolean audit) {
        // it goes from those to come later to the triggers, and from there to the fires: it is looked for in that order
        CompletionStage<Boolean> pending = audit && run.later != null
                ? fires.delayed().thenApply(all -> all.stream()
                        .anyMatch(each -> each.value().request().runId().equals(run.runId())))
                : CompletableFuture.completedStage(false);
        pending.thenCombine(fires.progress(run.request.job(), run.runId()), Trace::new)
                .whenComplete((trace, error) -> lane.execute(() -> {
                    if (error != null) {
                        return;
                    }
                    Optional<Versioned<FireProgress>> progress = trace.progress;
                    if (progress.isPresent() && progress.get().value().done()) {
                        Map<String, ItemOutcome> outcomes =
                                progress.get().value().outcomes();
                        over(run, () -> run.end.complete(outcomes));
                    } else if (trace.pending
                            || progress.isPresent()
                            || waiting.stream()
                                    .anyMatch(
                                            trigger -> trigger.request().runId().equals(run.runId()))) {
                        run.missing = 0;
                    } else if (audit && run.missing++ >= AUDITS_WITHOUT_TRACE) {
                        CoordinationException gone = new CoordinationException("run " + run.runId() + " of job '"
                                + run.request.job() + "' is gone: it ended more than an hour ago, or was deleted");
                        over(run, () -> run.end.completeExceptionally(gone));
                    }
                }));
    }

    /** Looks after what events should have told. */
    void look() {
        read();
        for (RunHandle run : List.copyOf(runs.values())) {
            if (run.accepted) {
                look(run, true);
            }
        }
    }

    /** Users' callbacks run on a worker, for they may do anything. */
    private void over(RunHandle run, Runnable completion) {
        forget(run);
        workers.execute(completion);
    }

    private void forget(RunHandle run) {
        runs.remove(run.runId());
        fires.follow(run.request.job(), run.runId(), false);
    }

    /** Reads what waits, as triggers have come or gone. */
    void read() {
        if (reading) {
            stale = true;
            return;
        }
        if (!established.getAsBoolean()) {
            return;
        }
        reading = true;
        stale = false;
        fires.triggers()
                .whenComplete((read, error) -> lane.execute(() -> {
                    reading = false;
                    if (error == null) {
                        take(read);
                    } else {
                        later(this::read);
                    }
                    if (stale) {
                        read();
                    }
                }));
    }

    private void take(List<Trigger> read) {
        List<Trigger> difference = new ArrayList<>(read);
        difference.removeAll(waiting);
        waiting.stream().filter(trigger -> !read.contains(trigger)).forEach(difference::add);
        waiting = read;
        Set<String> jobs = new HashSet<>();
        difference.forEach(trigger -> jobs.add(trigger.request().job()));
        jobs.forEach(job -> changed.accept(job, read));
    }

    private void later(Runnable task) {
        timer.after(PAUSE, () -> lane.execute(task));
    }

    /** Tells those who wait that they will never know. */
    void close() {
        for (RunHandle run : runs.values()) {
            CoordinationException closed =
                    new CoordinationException("the registry was closed before run " + run.runId() + " ended");
            workers.execute(() -> {
                run.end.completeExceptionally(closed);
                if (run.later != null) {
                    run.later.accepted().completeExceptionally(closed);
                }
            });
        }
        runs.clear(); // what has not been asked for by now isn't any more
    }
}
