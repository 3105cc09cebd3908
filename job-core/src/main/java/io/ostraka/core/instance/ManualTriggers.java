package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.RunCancelledException;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the manual triggers of this instance, and follows the runs that they cause. Confined to the instance's executor,
 * except {@link #admit}.
 */
final class ManualTriggers {
    private static final Logger log = LoggerFactory.getLogger(ManualTriggers.class);
    /**
     * Maximum number of unfinished triggers that this instance may have for one job. {@link #MOST} is the maximum for
     * all jobs together.
     */
    static final int MOST_OF_A_JOB = 1_000;

    static final int MOST = 5_000;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /**
     * Number of successive searches that may find no trace of a run. If the next search finds none either, the run fails
     * as lost. Each search is a resync after which the triggers were read completely; this can take longer than the time
     * between two resyncs.
     */
    private static final int AUDITS_WITHOUT_TRACE = 2;

    private final Fires fires;
    private final InstanceExecutor executor;
    private final Platform platform;
    private final WaitingTriggers waiting;
    private final Engine engine;
    private final Map<String, TriggeredRun> runs = new HashMap<>();
    /** Number of unfinished triggers from this instance, by job. Used on any thread. */
    private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();

    private final AtomicInteger allInFlight = new AtomicInteger();
    /** Completions of ended runs that no worker has begun yet. Repeating a completion has no effect. */
    private final Set<Runnable> completions = new LinkedHashSet<>();

    /** Jobs that this instance has triggered. Their fires are watched. */
    private final Set<String> followed = new HashSet<>();

    /** Callbacks to the engine of this instance. */
    interface Engine {
        /** Returns whether the instance is connected and has written its node. */
        boolean established();

        boolean hosts(String job);

        /**
         * Returns whether this instance still has to write a job's definition. After the write, {@link #defined} is
         * called for the job.
         */
        boolean lacksDefinition(String job);
    }

    ManualTriggers(Fires fires, InstanceExecutor executor, Platform platform, WaitingTriggers waiting, Engine engine) {
        this.fires = fires;
        this.executor = executor;
        this.platform = platform;
        this.waiting = waiting;
        this.engine = engine;
    }

    /**
     * Counts a trigger of this instance before the trigger is {@linkplain #add added}. May be called on any thread.
     *
     * @throws TooManyTriggersException if too many triggers of this instance have not ended
     */
    void admit(String job) {
        int ofJob = count(job);
        int all = allInFlight.get();
        if (ofJob > MOST_OF_A_JOB || all > MOST) {
            release(job);
            throw new TooManyTriggersException("job '" + job + "' is not triggered: "
                    + (ofJob > MOST_OF_A_JOB ? MOST_OF_A_JOB + " triggers of it" : MOST + " triggers of all jobs")
                    + " from this process have not ended, which is the limit; wait for runs to end, or merge"
                    + " triggers of one key (triggerAfter)");
        }
    }

    private int count(String job) {
        allInFlight.incrementAndGet();
        return inFlight.merge(job, 1, Integer::sum);
    }

    private void release(String job) {
        allInFlight.decrementAndGet();
        inFlight.computeIfPresent(job, (name, count) -> count == 1 ? null : count - 1);
    }

    /**
     * Sends the trigger of a run that was {@linkplain #admit admitted}, and retries until ZooKeeper has stored the
     * trigger.
     */
    void add(TriggeredRun run) {
        if (runs.put(run.runId(), run) != null) {
            release(run.request.job()); // the run id was submitted and counted twice, but its run ends only once
        }
        submit(run);
    }

    private CompletionStage<Optional<String>> send(TriggeredRun run, boolean sentBefore) {
        if (!followed.contains(run.request.job())) {
            fires.follow(run.request.job(), true); // before the trigger is sent, so that no event of its fire is missed
            followed.add(run.request.job());
        }
        TriggeredRun.Later later = run.later;
        return later == null
                ? fires.trigger(run.request, sentBefore)
                        .thenApply(known -> known ? Optional.of(run.runId()) : Optional.empty())
                : fires.triggerLater(run.request, later.key(), later.delay());
    }

    private void submit(TriggeredRun run) {
        if (!engine.established() || run.submitting || run.accepted || !runs.containsKey(run.runId())) {
            return; // if the trigger was not sent yet, the next connection sends it
        }
        if (engine.lacksDefinition(run.request.job())) {
            return; // sent after the definition, because the job's first records would ignore an older trigger
        }
        run.submitting = true;
        boolean sentBefore = run.sent;
        run.sent = true;
        CompletionStage<Optional<String>> submitted = Stages.of(() -> send(run, sentBefore));
        submitted.whenComplete((runId, error) -> executor.execute(() -> {
            run.submitting = false;
            if (error == null && runId.isPresent()) {
                accepted(run, runId.get(), sentBefore);
            } else if (error == null && !engine.hosts(run.request.job())) {
                fail(run, Refusals.unknown(run.request.job()));
            } else if (error == null) {
                later(() -> submit(run)); // the definition was deleted and is being restored
            } else {
                log.debug("run {} is not accepted yet: {}", run.runId(), error.toString());
                later(() -> submit(run));
            }
        }));
    }

    /**
     * Called when ZooKeeper has stored the trigger, or has merged it into another one.
     *
     * @param runId id of the resulting run
     */
    private void accepted(TriggeredRun run, String runId, boolean sentBefore) {
        TriggeredRun counts = run;
        if (!runId.equals(run.runId())) {
            counts = runs.get(runId);
            if (counts == null) {
                counts = run.mergedInto(runId);
                count(run.request.job());
                runs.put(runId, counts);
            }
            forget(run);
        }
        counts.accepted = true;
        TriggeredRun accepted = counts;
        platform.callUser(() -> {
            accepted.acceptance.complete(null);
            if (run.later != null) {
                run.later.accepted().complete(accepted);
            }
        });
        if (sentBefore || run.later != null) {
            look(counts, null); // the run may have ended before this reply
        }
    }

    /**
     * Called when a job's definition was written, or when it will never be written. Sends the triggers that waited for
     * the definition.
     */
    void defined(String job) {
        List.copyOf(runs.values()).stream()
                .filter(run -> run.request.job().equals(job))
                .forEach(this::submit);
    }

    /**
     * Called on a new connection. Resends triggers that were not accepted yet, and reads the progress of the accepted
     * ones.
     */
    void connected() {
        waiting.read();
        for (TriggeredRun run : List.copyOf(runs.values())) {
            if (run.accepted) {
                look(run, null);
            } else {
                submit(run);
            }
        }
    }

    /** Called when the progress of a fire may have changed. */
    void fireChanged(String fire) {
        TriggeredRun run = runs.get(fire);
        if (run != null) {
            look(run, null);
        }
    }

    /** Called when this instance has ended a fire. If this instance has also triggered the fire, completes the run. */
    void fireEnded(String fire, Map<String, ItemOutcome> outcomes) {
        TriggeredRun run = runs.get(fire);
        if (run != null) {
            over(run, () -> run.end.complete(outcomes));
        }
    }

    /**
     * Reads the progress of a run, and completes the run if its fire has ended.
     *
     * @param delayed run ids of all delayed triggers; null if this call is not part of a resync
     */
    private void look(TriggeredRun run, @Nullable Set<String> delayed) {
        Stages.of(() -> fires.progress(run.request.job(), run.runId()))
                .whenComplete((progress, error) -> executor.execute(() -> {
                    if (error != null || !runs.containsKey(run.runId())) {
                        return;
                    }
                    FireProgress known = progress.map(Versioned::value).orElse(null);
                    if (known != null && known.cancelled() != null) {
                        fail(run, cancelled(run, known.cancelled()));
                    } else if (known != null && known.done()) {
                        Map<String, ItemOutcome> outcomes = known.outcomes();
                        over(run, () -> run.end.complete(outcomes));
                    } else if (delayed == null
                            || delayed.contains(run.runId())
                            || progress.isPresent()
                            || waiting.hasRun(run.runId())) {
                        run.missing = 0;
                    } else if (run.reads == waiting.reads()) {
                        return; // the copy of the triggers is as old as at the latest search
                    } else if (run.missing++ < AUDITS_WITHOUT_TRACE) {
                        run.reads = waiting.reads();
                    } else {
                        CoordinationException gone =
                                new CoordinationException("run " + run.runId() + " of job '" + run.request.job()
                                        + "' does not exist any more: it ended more than an hour ago, or was deleted");
                        over(run, () -> run.end.completeExceptionally(gone));
                    }
                }));
    }

    /** Rereads all triggers and the progress of all runs, because events may have been lost. */
    void look() {
        waiting.read();
        Set<String> asked = runs.values().stream().map(run -> run.request.job()).collect(Collectors.toSet());
        followed.removeIf(job -> {
            boolean idle = !asked.contains(job);
            if (idle) {
                fires.follow(job, false);
            }
            return idle;
        });
        List<TriggeredRun> accepted =
                runs.values().stream().filter(run -> run.accepted).toList();
        // A run is first a delayed trigger, then a trigger and then a fire. A search in this order cannot miss it.
        CompletionStage<Set<String>> delayed = accepted.stream().anyMatch(run -> run.later != null)
                ? Stages.of(fires::delayed).thenApply(all -> all.stream()
                        .map(each -> each.value().request().runId())
                        .collect(Collectors.toSet()))
                : CompletableFuture.completedStage(Set.of());
        delayed.thenAccept(runIds -> executor.execute(() -> accepted.forEach(run -> look(run, runIds))));
    }

    private static RunCancelledException cancelled(TriggeredRun run, FireProgress.Cancelled how) {
        return new RunCancelledException("run " + run.runId() + " of job '" + run.request.job() + "' was cancelled by "
                + how.by() + " before it was due" + (how.reason() == null ? "" : ": " + how.reason()));
    }

    /** Fails a run that will never start. */
    private void fail(TriggeredRun run, OstrakaException why) {
        over(run, () -> run.fail(why));
    }

    /** Ends a run. The completion runs on a worker, because it may call user code that blocks. */
    private void over(TriggeredRun run, Runnable completion) {
        forget(run);
        completions.add(completion);
        platform.callUser(() -> {
            executor.execute(() -> completions.remove(completion));
            completion.run();
        });
    }

    private void forget(TriggeredRun run) {
        if (runs.remove(run.runId()) != null) {
            release(run.request.job());
        }
    }

    private void later(Runnable task) {
        executor.after(PAUSE, task);
    }

    /**
     * Fails all runs that have not ended, and completes those whose completion still waits for a thread. Called when
     * the instance closes.
     */
    void close() {
        for (TriggeredRun run : runs.values()) {
            CoordinationException closed =
                    new CoordinationException("the registry was closed before run " + run.runId() + " ended");
            completions.add(() -> run.fail(closed));
        }
        runs.clear(); // triggers that were not sent are dropped
        for (Runnable completion : completions) {
            try {
                platform.workers().execute(completion);
            } catch (Throwable e) { // a later attempt would come after the end of the timer
                completion.run();
            }
        }
        completions.clear();
    }
}
