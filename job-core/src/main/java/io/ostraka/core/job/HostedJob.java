package io.ostraka.core.job;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.FireListener;
import io.ostraka.api.JobListener;
import io.ostraka.api.OnceListener;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireDecision;
import io.ostraka.core.decide.FireSituation;
import io.ostraka.core.decide.Overlap;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.job.HostedState.Foreign;
import io.ostraka.core.job.HostedState.Idle;
import io.ostraka.core.job.HostedState.Unread;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.ItemRun.Stop;
import io.ostraka.core.run.JobBody;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job in this instance, from the alarm to the user's code and back.
 *
 * <p>Each step runs on the job's serial executor. An alarm, a new plan, a reply or the end of a run changes the state and then calls
 * {@link #advance}, which reads unknown items, completes ended runs and claims due fires. No step waits for a reply.
 */
public final class HostedJob {
    private static final Logger log = LoggerFactory.getLogger(HostedJob.class);
    private static final Duration CLOCK_PAUSE = Duration.ofSeconds(5);

    private static final Duration DEFECT_PAUSE = Duration.ofSeconds(5);

    private final Definition registered;
    private final String zoneKey;
    private final JobBody body;
    private final JobContext context;
    private final JobState job;
    private final KeptFires fires;
    private final Resync resync;
    private final Completions completions;
    private final Admission admission;
    private final @Nullable JobListenerGate listeners;
    private final boolean hasOnceListeners;
    private final JobObserver health;
    private final OnceListenerGate once;
    private final Claims claims;
    private boolean defined;

    /** Failure of the engine's last step; null if it succeeded. Confined to the serial executor. */
    private @Nullable String defect;

    private boolean retrying;
    private volatile boolean running;
    private volatile Set<String> underWay = Set.of();
    private volatile @Nullable CompletableFuture<Void> drained;
    private final CompletableFuture<Void> scheduled = new CompletableFuture<>();
    /** True until {@link #scheduled} completes. Confined to the serial executor. */
    private boolean unscheduled = true;
    /** Completes the stage of {@link #released}; null if it was not called. Confined to the serial executor. */
    private @Nullable CompletableFuture<Void> released;

    /** Hosts a job. The registered configuration applies until the effective one is known. */
    public HostedJob(Definition registered, JobBody body, List<? extends FireListener> listeners, JobContext context) {
        this.registered = registered;
        this.zoneKey = ScopedItems.zoneKey(context.runs().zone());
        this.body = body;
        this.context = context;
        this.job = new JobState(registered.jobName(), body, context, this::advance, this::failed);
        List<OnceListener> onceListeners = of(OnceListener.class, listeners);
        this.hasOnceListeners = !onceListeners.isEmpty();
        this.fires = new KeptFires(job, hasOnceListeners);
        this.resync = new Resync(job, fires, new NodeRepair(job, registered));
        this.once = new OnceListenerGate(job, fires, resync, onceListeners);
        this.completions = new Completions(job, fires, resync);
        this.admission = new Admission(job);
        List<JobListener> ofFires = of(JobListener.class, listeners);
        this.listeners = ofFires.isEmpty() ? null : new JobListenerGate(job, ofFires, once);
        this.health = new HealthReasons.Reporter(context.instance());
        StartGate gate = this.listeners != null
                ? this.listeners
                : (run, start) -> {
                    if (run.waitsForOnceListeners()) {
                        once.pass(run, start);
                    } else {
                        start.run();
                    }
                };
        this.claims = new Claims(job, fires, resync, completions, admission, gate);
    }

    private static <L extends FireListener> List<L> of(Class<L> kind, List<? extends FireListener> listeners) {
        return listeners.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    // ---- one fire

    /** Runs when the alarm fires: the job evaluates due fires as soon as a slot is free. */
    private void wake() {
        job.execute(() -> {
            if (running || admission.reserve()) {
                advance();
            }
        });
    }

    private void advance() {
        if (job.over()) {
            return;
        }
        proceed();
        admission.settle();
        if (hasOnceListeners || job.keepsScheduledFires()) {
            once.settle(reachable(), drained != null);
        }
        if (listeners != null) {
            listeners.settle(drained != null);
        }
        boolean busy = false;
        boolean runs = false;
        for (HostedItem hosted : job.items.values()) {
            busy |= hosted.busy();
            runs |= hosted.run() != null;
        }
        running = runs;
        if (drained != null) {
            underWay = job.items.values().stream()
                    .filter(HostedItem::busy)
                    .map(HostedItem::key)
                    .collect(Collectors.toSet());
        }
        if (runs) {
            warnOfLongRuns();
        }
        defect = null;
        health.stepped(job, drained != null, defect);
        if (unscheduled && job.unregistered == null && reachable()) {
            unscheduled = false;
            context.platform().workers().execute(() -> scheduled.complete(null));
        }
        if (drained != null && !busy && (listeners == null || listeners.idle()) && once.idle()) {
            drained.complete(null);
        }
        if (released != null && !stillPlanned()) {
            released.complete(null);
        }
    }

    /** Logs one line for all runs that have just begun to take too long. */
    private void warnOfLongRuns() {
        Instant now = context.platform().clock().now();
        List<ItemRun> found = new ArrayList<>();
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run != null && run.takesTooLong(now) && !run.waitsForThread() && hosted.markOverlong()) {
                found.add(run);
            }
        }
        if (!found.isEmpty()) {
            ItemRun first = found.get(0);
            log.warn(
                    "{}{} has been running since {} and has no time limit; the item starts no other fire until the code"
                            + " returns. Look where the code waits, restart this instance to end it, and set the job's"
                            + " timeout{}",
                    first,
                    found.size() == 1 ? "" : " (with " + (found.size() - 1) + " more items)",
                    first.claim().startedAt(),
                    first.whereabouts());
        }
    }

    /**
     * Handles a failed step of the engine. The job is tried again after a pause; other jobs are not affected. Everything that the
     * step may have left half done is read again.
     */
    private void failed(Throwable failure) {
        boolean first = defect == null;
        defect = "the engine failed with " + failure + "; the job is tried again; please report it";
        try {
            if (first) {
                log.error(
                        "job '{}': a step of the engine failed, and the job is tried again; this is a defect, please report it",
                        job.name,
                        failure);
            }
            health.stepped(job, drained != null, defect);
        } finally {
            if (!retrying) {
                job.later(DEFECT_PAUSE, () -> {
                    retrying = false;
                    fires.invalidateAll();
                    job.items.values().forEach(HostedItem::invalidate);
                    job.flush = true;
                    resync.readPlan();
                    advance();
                });
                retrying = true;
            }
        }
    }

    private void proceed() {
        if (reachable()) {
            if (job.items.values().stream().anyMatch(hosted -> hosted.state() instanceof Unread)) {
                resync.readItems(claims::start);
            }
            boolean flush = job.flush && !completions.underWay();
            Map<HostedItem, Due> dues = drained == null ? due(job.snapshot(), flush) : Map.of();
            if (flush) {
                job.flush = false;
                completions.send(dues.keySet());
            }
            if (!dues.isEmpty()) {
                claims.send(dues);
            }
        }
    }

    /** Returns whether the instance is connected and knows a plan. */
    private boolean reachable() {
        return job.session != null && job.online && job.snapshot != null && !job.readingPlan;
    }

    /**
     * Returns the decisions that are due now, and sets the alarm for the next one.
     *
     * @param ending true if completions are about to be sent; an ended item whose next fire is due claims it in the same transaction
     */
    private Map<HostedItem, Due> due(JobSnapshot snapshot, boolean ending) {
        Instant now = context.platform().clock().now();
        Instant wakeAt = endOvertaken(snapshot, now);
        if (runsForEarlierSession(snapshot.plan())) {
            return Map.of(); // the return of that run calls this again
        }
        Map<HostedItem, Due> dues = new LinkedHashMap<>();
        Set<String> begun = snapshot.plan().closed() ? fires.begun() : Set.of();
        for (String item : snapshot.plan().itemsOf(job.session().instanceId())) {
            HostedItem hosted = job.items.get(item);
            if (hosted != null && ending && hosted.mayClaimNext()) {
                claimNext(snapshot, hosted, begun, now).ifPresent(next -> dues.put(hosted, next));
                continue;
            }
            if (hosted == null || !(hosted.state() instanceof Idle idle)) {
                continue;
            }
            Instant quietUntil = idle.quietUntil();
            if (!quietUntil.isAfter(now)) {
                Due due = ofAnotherZone(snapshot.plan(), hosted)
                        ? new Due.Nothing(Optional.empty())
                        : FireDecision.decide(new FireSituation(
                                snapshot, item, hosted.known().value(), idle.interruption(), job.triggers, begun, now));
                boolean early = !(due instanceof Due.Nothing)
                        && tooEarly(due, hosted.known().value());
                if (due instanceof Due.Start start && !early) {
                    hosted.due(start.fire(), admission.dueSince(start.fire(), now));
                } else {
                    hosted.startsNext(null);
                }
                if (due instanceof Due.Nothing nothing) {
                    quietUntil = nothing.wakeAt().orElse(Instant.MAX);
                } else if (early) {
                    quietUntil = now.plus(CLOCK_PAUSE);
                } else {
                    dues.put(hosted, due);
                    continue;
                }
                hosted.quietUntil(quietUntil);
            }
            wakeAt = quietUntil.isBefore(wakeAt) ? quietUntil : wakeAt;
        }
        if (wakeAt.equals(Instant.MAX)) {
            context.platform().alarm().cancel(job.name);
        } else {
            context.platform().alarm().wakeAt(job.name, wakeAt, this::wake);
        }
        return dues;
    }

    /** Returns the next fire of an item whose run has ended, if it is due and its claim needs no node except the item's. */
    private Optional<Due> claimNext(JobSnapshot snapshot, HostedItem hosted, Set<String> begun, Instant now) {
        ItemRecord ended = hosted.ending(snapshot.configuration());
        if (ended.state() != ItemState.IDLE
                || kept(hosted.known().value().requireRun().fire(), ended.incarnation())
                || (snapshot.plan().scope() == Scope.ONE_PER_ZONE
                        && !hosted.key().equals(zoneKey))) {
            return Optional.empty();
        }
        Due due = FireDecision.decide(new FireSituation(
                snapshot, hosted.key(), ended, FireSituation.Interruption.NONE, job.triggers, begun, now));
        if (!(due instanceof Due.Start start) || kept(start.fire(), ended.incarnation()) || tooEarly(due, ended)) {
            return Optional.empty();
        }
        hosted.due(start.fire(), admission.dueSince(start.fire(), now));
        return Optional.of(due);
    }

    private boolean kept(Fire fire, long incarnation) {
        return job.mayKeep(fire) && fires.keeps(fire, incarnation);
    }

    /** Returns whether a run of an earlier session still executes in a broadcast job, which runs once per process. */
    private boolean runsForEarlierSession(ShardingPlan plan) {
        return plan.scope() == Scope.BROADCAST
                && job.items.values().stream().anyMatch(hosted -> hosted.busy() && !job.owns(hosted.key()));
    }

    /** Returns whether the item belongs to another zone; this instance then only finishes its interrupted fires. */
    private boolean ofAnotherZone(ShardingPlan plan, HostedItem hosted) {
        return plan.scope() == Scope.ONE_PER_ZONE
                && !hosted.known().value().unfinished()
                && !hosted.key().equals(zoneKey);
    }

    /** Cancels runs that a later fire replaces; returns when the next run is replaced. */
    private Instant endOvertaken(JobSnapshot snapshot, Instant now) {
        Instant next = Instant.MAX;
        if (!(snapshot.configuration().overlap() instanceof OverlapPolicy.CancelRunning)) {
            return next;
        }
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run == null || run.stop() != null) {
                continue;
            }
            Instant overtaken =
                    Overlap.overtaken(snapshot, hosted.key(), run.claim()).orElse(Instant.MAX);
            if (!overtaken.isAfter(now)) {
                run.stop(Stop.CANCELLED);
            } else if (overtaken.isBefore(next)) {
                next = overtaken;
            }
        }
        return next;
    }

    /** Returns whether a scheduled fire must wait because this host's clock is far ahead of the server's. */
    private boolean tooEarly(Due due, ItemRecord record) {
        Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
        return !fire.triggered() && !record.unfinished() && context.clock().ahead();
    }

    // ---- events

    /** Receives a new session, or the same one after a reconnection. The instance's node exists. */
    public void connected(Session current) {
        job.execute(() -> {
            job.session = current;
            job.online = true;
            // changes during the outage were not reported, and unknown outcomes can be read now
            fires.invalidateAll();
            job.items.values().forEach(HostedItem::reread);
            job.flush = true;
            resync.readPlan();
        });
    }

    /** Returns whether ZooKeeper has the definition, so that the instance may announce the job. Called on the instance's executor. */
    public boolean defined() {
        return defined;
    }

    /** Receives the result of the registration: null, or why it failed. Called on the instance's executor. */
    public void registered(@Nullable String problem) {
        defined |= problem == null;
        job.execute(() -> {
            job.unregistered = problem;
            advance();
        });
    }

    /** Receives the loss of the connection. */
    public void suspended() {
        job.execute(() -> job.online = false);
    }

    /** Receives the loss of the session, confirmed or presumed. */
    public void lost(String reason) {
        forEachRun(run -> {
            JobSnapshot known = job.snapshot;
            SessionLossPolicy policy =
                    (known == null ? registered.configuration() : known.configuration()).sessionLoss();
            if (policy == SessionLossPolicy.INTERRUPT) {
                run.lose(reason);
                run.stop(Stop.GIVEN_UP);
            }
        });
        job.advance();
    }

    /** Receives a change of the job's plan. */
    public void planChanged() {
        job.execute(resync::readPlan);
    }

    /** Receives the manual triggers of the job, oldest first. */
    public void triggersChanged(List<Trigger> triggers) {
        job.execute(() -> {
            job.triggers = triggers;
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /** Receives a change of the clock's state: due fires are decided again. */
    public void clockChanged() {
        job.execute(() -> {
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /** Receives a change of a fire's progress node. */
    public void fireChanged(String fire) {
        job.execute(() -> {
            if (fires.reportedWhileWritten(fire)) {
                return; // the reply of that write follows
            }
            job.context.instance().fireChanged(fire);
            if (hasOnceListeners() || (job.snapshot != null && job.snapshot().onceListeners())) {
                fires.invalidate(fire);
                advance();
            }
        });
    }

    /** Receives a change of an item's nodes. */
    public void itemChanged(String item) {
        job.execute(() -> {
            HostedItem hosted = job.items.get(item);
            if (hosted != null && hosted.nodesChanged()) {
                advance();
            }
        });
    }

    /** Reads nodes again whose watches may have failed: those of foreign items, or in a full resync all of them. */
    public void look(boolean everything) {
        job.execute(() -> {
            if (everything) {
                resync.readPlan();
            }
            job.items.values().stream()
                    .filter(hosted ->
                            hosted.state() instanceof Foreign || (everything && hosted.state() instanceof Idle))
                    .forEach(HostedItem::reread);
            advance();
        });
    }

    /** Stops claiming. The stage completes once no run of the job is left in this instance. */
    public synchronized CompletionStage<Void> drain() {
        CompletableFuture<Void> done = drained;
        if (done == null) {
            done = new CompletableFuture<>();
            drained = done;
            job.execute(() -> {
                context.platform().alarm().cancel(job.name);
                completions.draining();
                job.flush = true;
            });
            forEachRun(ItemRun::leave);
            job.advance();
        }
        return done;
    }

    /** Stops all runs and hands their items over. */
    public void cancelRuns() {
        forEachRun(run -> run.stop(Stop.GIVEN_UP));
        job.advance();
    }

    private void forEachRun(Consumer<ItemRun> action) {
        job.execute(() -> job.items.values().stream()
                .map(HostedItem::executing)
                .filter(Objects::nonNull)
                .forEach(action));
    }

    /**
     * Returns a stage that completes once the plan gives this instance no items. With a restart grace, the leader must see that the
     * instance drains before the instance ends.
     */
    public CompletionStage<Void> released() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        job.execute(() -> {
            released = done;
            advance();
        });
        return done;
    }

    private boolean stillPlanned() {
        return job.session != null
                && job.online
                && job.snapshot != null
                && !job.snapshot().configuration().restartGrace().isZero()
                && !job.snapshot().plan().itemsOf(job.session().instanceId()).isEmpty();
    }

    /** Ends a drained job: no node is read or written for it any more, and the process may host the job again. */
    public void letGo() {
        job.end();
    }

    /** Closes the job on a worker, because listeners and {@code destroy()} are users' code. */
    public CompletionStage<Void> close() {
        context.platform().alarm().cancel(job.name);
        CompletableFuture<Void> notified = new CompletableFuture<>();
        job.execute(() -> {
            if (listeners == null) {
                notified.complete(null);
            } else {
                listeners.close().whenComplete((done, error) -> notified.complete(null));
            }
        });
        return notified.thenRunAsync(this::end, context.platform().workers());
    }

    private void end() {
        scheduled.completeExceptionally(
                new CoordinationException("job '" + job.name + "' was closed here before it was scheduled"));
        body.destroy();
    }

    // ---- queries, on any thread

    /** Returns a stage that completes once ZooKeeper has the definition and this instance knows a plan of the job. */
    public CompletionStage<Void> scheduled() {
        return scheduled.minimalCompletionStage();
    }

    public String name() {
        return registered.jobName();
    }

    /** Returns whether this instance has once-listeners of the job. */
    public boolean hasOnceListeners() {
        return hasOnceListeners;
    }

    /**
     * Returns whether a claimed run executes or waits for its completion. A claim under way does not count: its run starts only
     * after ZooKeeper's reply.
     */
    public boolean running() {
        return running;
    }

    /** Returns whether the job has stopped claiming. */
    public boolean draining() {
        return drained != null;
    }

    /** Returns the items whose code started under an earlier session and has not returned. */
    public Set<String> executingFromBefore(String instanceId) {
        return completions.executingFromBefore(instanceId);
    }

    /** Returns the completions of the job. */
    public Completions completions() {
        return completions;
    }

    /** Returns the items of a draining job with a run or a transaction under way. */
    public Set<String> underWay() {
        return underWay;
    }

    /** Returns how long runs may continue at shutdown. */
    public Duration shutdownGrace() {
        JobSnapshot known = job.snapshot;
        return (known == null ? registered.configuration() : known.configuration()).shutdownGrace();
    }
}
