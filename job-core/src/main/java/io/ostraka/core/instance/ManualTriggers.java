package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The manual triggers that wait, and the ends of those that this instance asked for. Confined to the instance's lane, but for
 * {@link #admit}.
 */
final class ManualTriggers {
    private static final Logger log = LoggerFactory.getLogger(ManualTriggers.class);
    /** How many triggers of one job, and of all jobs, this instance may have asked for that have not ended. */
    static final int MOST_OF_A_JOB = 1_000;

    static final int MOST = 5_000;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** How many audits in a row may find no trace of a run before it is given up. */
    private static final int AUDITS_WITHOUT_TRACE = 2;

    private final Fires fires;
    private final InstanceExecutor executor;
    private final Executor workers;
    private final Engine engine;
    private final Map<String, TriggeredRun> runs = new HashMap<>();
    /** By job, how many were admitted and have not ended; any thread. */
    private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();

    private final AtomicInteger allInFlight = new AtomicInteger();

    /** Triggers that wait or are worked off, by node name. */
    private final Map<String, Trigger> waiting = new HashMap<>();
    /** The same by job, oldest first. */
    private final Map<String, NavigableMap<Long, Trigger>> ofJobs = new HashMap<>();
    /** Run ids of {@link #waiting}. */
    private final Set<String> waitingRuns = new HashSet<>();

    private boolean reading;
    private boolean stale;
    /** Names of triggers that are read one by one, each with whether it is gone meanwhile. */
    private final Map<String, Boolean> readAlone = new HashMap<>();
    /** Jobs whose triggers have changed, until the jobs learn it. */
    private final Set<String> changedJobs = new HashSet<>();

    /** Jobs whose fires are followed: those that a run was asked of lately. */
    private final Set<String> followed = new HashSet<>();

    /** The engine that the triggers belong to. */
    interface Engine {
        /** Returns whether the instance is connected to ZooKeeper and registered there. */
        boolean established();

        /** Returns whether this instance hosts a job. */
        boolean hosts(String job);

        /** Returns whether this instance has yet to write a job's definition; {@link #defined} reports when it has. */
        boolean lacksDefinition(String job);

        /** Passes on all triggers of a job, oldest first, after one of them has changed. */
        void triggersChanged(String job, List<Trigger> triggers);
    }

    ManualTriggers(Fires fires, InstanceExecutor executor, Executor workers, Engine engine) {
        this.fires = fires;
        this.executor = executor;
        this.workers = workers;
        this.engine = engine;
    }

    /** Returns the triggers of a job that wait or are worked off, oldest first. */
    List<Trigger> waiting(String job) {
        return List.copyOf(
                ofJobs.getOrDefault(job, Collections.emptyNavigableMap()).values());
    }

    /**
     * Counts a trigger before it is {@link #add added}; any thread.
     *
     * @throws TooManyTriggersException if as many as may be have not ended
     */
    void admit(String job) {
        int ofJob = count(job);
        int all = allInFlight.get();
        if (ofJob > MOST_OF_A_JOB || all > MOST) {
            release(job);
            throw new TooManyTriggersException("job '" + job + "' is not triggered: "
                    + (ofJob > MOST_OF_A_JOB ? MOST_OF_A_JOB + " triggers of it" : MOST + " triggers of all jobs")
                    + " from this process have not ended, the most that may be; wait for runs to end, or merge"
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

    /** Asks for a run that was admitted, for as long as it takes. */
    void add(TriggeredRun run) {
        if (runs.put(run.runId(), run) != null) {
            release(run.request.job()); // asked for twice under one run id: it ends once
        }
        if (followed.add(run.request.job())) {
            fires.follow(run.request.job(), true); // before it is sent, so that nothing of its fire is missed
        }
        submit(run);
    }

    private void submit(TriggeredRun run) {
        if (!engine.established() || run.submitting || run.accepted || !runs.containsKey(run.runId())) {
            return; // the next connection submits it, if nothing else does
        }
        if (engine.lacksDefinition(run.request.job())) {
            return; // to the job's first records a trigger that is older than its definition is history
        }
        run.submitting = true;
        boolean sentBefore = run.sent;
        run.sent = true;
        TriggeredRun.Later later = run.later;
        CompletionStage<Optional<String>> submitted = Stages.of(() -> later == null
                ? fires.trigger(run.request, sentBefore)
                        .thenApply(known -> known ? Optional.of(run.runId()) : Optional.empty())
                : fires.triggerLater(run.request, later.key(), later.delay()));
        submitted.whenComplete((runId, error) -> executor.execute(() -> {
            run.submitting = false;
            if (error == null && runId.isPresent()) {
                accepted(run, runId.get(), sentBefore);
            } else if (error == null && !engine.hosts(run.request.job())) {
                fail(run, OperatorRequests.unknown(run.request.job()));
            } else if (error == null) {
                later(() -> submit(run)); // its definition was deleted, and is being put back
            } else {
                log.debug("run {} is not accepted yet: {}", run.runId(), error.toString());
                later(() -> submit(run));
            }
        }));
    }

    /** ZooKeeper has a trigger, or another one that it has merged into. */
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
        TriggeredRun told = counts;
        workers.execute(() -> {
            told.acceptance.complete(null);
            if (run.later != null) {
                run.later.accepted().complete(told);
            }
        });
        if (sentBefore || run.later != null) {
            look(counts, null); // it may have ended before this
        }
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
        for (TriggeredRun run : List.copyOf(runs.values())) {
            if (run.accepted) {
                look(run, null);
            } else {
                submit(run);
            }
        }
    }

    /** The progress of a fire has changed. */
    void fireChanged(String fire) {
        TriggeredRun run = runs.get(fire);
        if (run != null) {
            look(run, null);
        }
    }

    /** This instance has ended a fire. */
    void fireEnded(String fire, Map<String, ItemOutcome> outcomes) {
        TriggeredRun run = runs.get(fire);
        if (run != null) {
            over(run, () -> run.end.complete(outcomes));
        }
    }

    /**
     * Reads how far a run is.
     *
     * @param delayed run ids of the triggers that are to come later; null if they were not read, and this is no audit
     */
    private void look(TriggeredRun run, @Nullable Set<String> delayed) {
        fires.progress(run.request.job(), run.runId())
                .whenComplete((progress, error) -> executor.execute(() -> {
                    if (error != null || !runs.containsKey(run.runId())) {
                        return;
                    }
                    if (progress.isPresent() && progress.get().value().done()) {
                        Map<String, ItemOutcome> outcomes =
                                progress.get().value().outcomes();
                        over(run, () -> run.end.complete(outcomes));
                    } else if (delayed == null
                            || delayed.contains(run.runId())
                            || progress.isPresent()
                            || waitingRuns.contains(run.runId())) {
                        run.missing = 0;
                    } else if (run.missing++ >= AUDITS_WITHOUT_TRACE) {
                        CoordinationException gone = new CoordinationException("run " + run.runId() + " of job '"
                                + run.request.job() + "' is gone: it ended more than an hour ago, or was deleted");
                        over(run, () -> run.end.completeExceptionally(gone));
                    }
                }));
    }

    /** Looks after what events should have told. */
    void look() {
        read();
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
        // a run goes from those to come later to the triggers, and from there to the fires: it is looked for in that
        // order
        CompletionStage<Set<String>> delayed = accepted.stream().anyMatch(run -> run.later != null)
                ? fires.delayed().thenApply(all -> all.stream()
                        .map(each -> each.value().request().runId())
                        .collect(Collectors.toSet()))
                : CompletableFuture.completedStage(Set.of());
        delayed.thenAccept(runIds -> executor.execute(() -> accepted.forEach(run -> look(run, runIds))));
    }

    /** It will never run. */
    private void fail(TriggeredRun run, CoordinationException why) {
        over(run, () -> run.fail(why));
    }

    /** Users' callbacks run on a worker, for they may do anything. */
    private void over(TriggeredRun run, Runnable completion) {
        forget(run);
        workers.execute(completion);
    }

    private void forget(TriggeredRun run) {
        if (runs.remove(run.runId()) != null) {
            release(run.request.job());
        }
    }

    /** Reads what waits, as triggers have come or gone. */
    void read() {
        if (reading) {
            stale = true;
            return;
        }
        if (!engine.established()) {
            return;
        }
        reading = true;
        stale = false;
        Stages.of(fires::triggers)
                .whenComplete((read, error) -> executor.execute(() -> {
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

    /** One trigger has come, gone or changed: no other is read for it. */
    void triggerChanged(String name, boolean gone) {
        if (gone) {
            readAlone.computeIfPresent(name, (known, before) -> true);
            remove(name);
        }
        if (reading) {
            stale = true; // what is being read may be older than this
        } else if (!gone && engine.established() && readAlone.putIfAbsent(name, false) == null) {
            Stages.of(() -> fires.trigger(name))
                    .whenComplete((trigger, error) -> executor.execute(() -> {
                        boolean goneMeanwhile = readAlone.remove(name);
                        if (error != null) {
                            later(this::read);
                        } else if (!goneMeanwhile) {
                            trigger.ifPresentOrElse(this::put, () -> remove(name));
                        }
                    }));
        }
    }

    private void put(Trigger trigger) {
        if (!trigger.equals(waiting.get(trigger.name()))) {
            remove(trigger.name());
            waiting.put(trigger.name(), trigger);
            waitingRuns.add(trigger.request().runId());
            ofJobs.computeIfAbsent(trigger.request().job(), job -> new TreeMap<>())
                    .put(trigger.zxid(), trigger);
            tellLater(trigger.request().job());
        }
    }

    private void remove(String name) {
        Trigger trigger = waiting.remove(name);
        if (trigger != null) {
            String job = trigger.request().job();
            waitingRuns.remove(trigger.request().runId());
            ofJobs.computeIfPresent(job, (known, ofJob) -> {
                ofJob.remove(trigger.zxid());
                return ofJob.isEmpty() ? null : ofJob;
            });
            tellLater(job);
        }
    }

    /** Of a thousand changes in a row a job learns together. */
    private void tellLater(String job) {
        boolean first = changedJobs.isEmpty();
        changedJobs.add(job);
        if (first) {
            executor.execute(() -> {
                List<String> jobs = List.copyOf(changedJobs);
                changedJobs.clear();
                jobs.forEach(each -> engine.triggersChanged(each, waiting(each)));
            });
        }
    }

    private void take(List<Trigger> read) {
        Set<String> names = new HashSet<>();
        for (Trigger trigger : read) {
            names.add(trigger.name());
            put(trigger);
        }
        List.copyOf(waiting.keySet()).stream()
                .filter(name -> !names.contains(name))
                .forEach(this::remove);
    }

    private void later(Runnable task) {
        executor.after(PAUSE, task);
    }

    /** Tells those who wait that they will never know. */
    void close() {
        for (TriggeredRun run : runs.values()) {
            CoordinationException closed =
                    new CoordinationException("the registry was closed before run " + run.runId() + " ended");
            workers.execute(() -> run.fail(closed));
        }
        runs.clear(); // what has not been asked for by now isn't any more
    }
}
