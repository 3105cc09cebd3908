package io.ostraka.core.job;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.FireListener;
import io.ostraka.api.JobListener;
import io.ostraka.api.OnceListener;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.metrics.Status;
import io.ostraka.api.metrics.TaskMetrics;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireDecision;
import io.ostraka.core.decide.FireSituation;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.job.HostedItemState.Foreign;
import io.ostraka.core.job.HostedItemState.Idle;
import io.ostraka.core.job.HostedItemState.Unread;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.run.ItemRun.Stop;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.time.TenthOfTime;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that this instance hosts. Claims the due fires of the job's items, runs them and completes them. The public
 * methods may be called on any thread, unless they say otherwise.
 *
 * <p>The steps of the job run one after the other on its serial executor. Wake-ups, plan changes, replies and ends of
 * runs change the state and then call {@link #advance}. An advance reads unknown items, completes ended runs and claims
 * due fires. No step waits for a reply.
 */
public final class HostedJob {
    private static final Logger log = LoggerFactory.getLogger(HostedJob.class);
    /** While this host's clock is ahead, the job decides again after this time. */
    private static final Duration CLOCK_PAUSE = Duration.ofSeconds(5);

    private static final Duration DEFECT_PAUSE = Duration.ofSeconds(5);

    private volatile Definition registered;
    private final String zoneKey;
    private final JobBody body;
    private final JobContext context;
    private final HostedJobState job;
    private final KeptFires fires;
    private final NodeRepair repair;
    private final PlanReader plan;
    private final SkippedFires skipped;
    private final Resync resync;
    private final Completions completions;
    private final Admission admission;
    private final @Nullable JobListenerGate listeners;
    private final boolean hasOnceListeners;
    private final HealthReasons health;
    private final OnceListenerGate once;
    private final Claims claims;
    private final AlarmReport alarms;
    private final StatusReport status;
    private final JobShutdown shutdown;
    private final RunSupervision runs;
    /** Alarms and status take at most a tenth of the executor's time, so that they cannot delay the fires much. */
    private final TenthOfTime reports;
    /** True while a look waits for the executor. */
    private final AtomicBoolean looking = new AtomicBoolean();

    private final AtomicBoolean lookAtEverything = new AtomicBoolean();
    private boolean defined;

    /**
     * Description of the exception that ended the job's last step; null if it succeeded. Confined to the serial
     * executor.
     */
    private @Nullable String defect;

    private boolean retrying;
    private volatile boolean running;
    private final CompletableFuture<Void> scheduled = new CompletableFuture<>();
    /** True until {@link #scheduled} completes. Confined to the serial executor. */
    private boolean unscheduled = true;

    /** Hosts a job. The registered configuration is used until the effective configuration has been read. */
    public HostedJob(Definition registered, JobBody body, List<? extends FireListener> listeners, JobContext context) {
        this.registered = registered;
        this.zoneKey = ScopedItems.zoneKey(context.runs().zone());
        this.body = body;
        this.context = context;
        this.job = new HostedJobState(registered.jobName(), body, context, this::advance, this::failed);
        List<OnceListener> onceListeners = of(OnceListener.class, listeners);
        this.hasOnceListeners = !onceListeners.isEmpty();
        this.admission = new Admission(job);
        this.fires = new KeptFires(job, hasOnceListeners);
        this.repair = new NodeRepair(job, registered);
        this.plan = new PlanReader(job, fires, repair);
        this.skipped = new SkippedFires(job, plan);
        this.resync = new Resync(job, fires, plan, repair, skipped);
        this.once = new OnceListenerGate(job, fires, resync, admission, onceListeners);
        this.completions = new Completions(job, fires, resync);
        List<JobListener> ofFires = of(JobListener.class, listeners);
        this.listeners = ofFires.isEmpty() ? null : new JobListenerGate(job, admission, ofFires, once);
        this.health = new HealthReasons(job, admission);
        StartGate gate = this.listeners != null
                ? this.listeners
                : (run, start) -> {
                    if (run.waitsForOnceListeners()) {
                        once.pass(run, start);
                    } else {
                        start.run();
                    }
                };
        this.claims = new Claims(job, fires, resync, completions, admission, gate, skipped, this::mayStartNext);
        this.alarms = new AlarmReport(job, plan);
        this.status = new StatusReport(job);
        this.runs = new RunSupervision(job);
        this.shutdown = new JobShutdown(
                job, completions, () -> (this.listeners == null || this.listeners.idle()) && once.idle());
        this.reports = new TenthOfTime(context.platform().clock());
    }

    private static <L extends FireListener> List<L> of(Class<L> kind, List<? extends FireListener> listeners) {
        return listeners.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    // ---- one fire

    /**
     * Called when the job's fire timer wakes it. If a slot is free or the job already has a run here, the job evaluates its
     * due fires at once. Otherwise it does so when it gets a slot.
     */
    private void wake() {
        job.execute(() -> {
            if (!job.over() && (running || admission.reserve())) {
                advance();
            }
        });
    }

    private void advance() {
        if (job.over()) {
            return;
        }
        if (!job.stops.isEmpty()) {
            runs.endStopped();
        }
        proceed();
        admission.settle();
        if (hasOnceListeners || job.keepsScheduledFires()) {
            once.settle(reachable(), job.draining);
        }
        if (listeners != null) {
            listeners.settle(job.draining);
        }
        running = job.items.values().stream().anyMatch(hosted -> hosted.run() != null);
        defect = null;
        health.stepped(job.draining, defect);
        if (unscheduled && job.unregistered == null && reachable()) {
            unscheduled = false;
            // on a worker, because users' code may depend on the stage
            context.platform().callUser(() -> scheduled.complete(null));
        }
        if (job.draining) {
            shutdown.settle();
        }
    }

    /**
     * Handles an exception in a step of the engine. After a pause, the job reads again everything that the step may
     * have left half done, and continues. Other jobs are not affected.
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
            health.stepped(job.draining, defect);
        } finally {
            if (!retrying) {
                job.later(DEFECT_PAUSE, () -> {
                    retrying = false;
                    fires.invalidateAll();
                    job.items.values().forEach(HostedItem::invalidate);
                    admission.revokeAll();
                    job.flush = true;
                    plan.read();
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
            Map<HostedItem, Due> dues = startsItems() ? due(job.snapshot().remembering(), flush) : Map.of();
            if (flush) {
                job.flush = false;
                completions.send(dues.keySet());
            }
            if (!dues.isEmpty()) {
                claims.send(dues);
            }
        }
    }

    private boolean startsItems() {
        return !job.draining && context.instance().startsItems();
    }

    /**
     * Returns whether an item's next fire could start here if it were due. Asks the same questions as {@link #proceed}
     * and {@link #due}, from memory alone. May be called on any thread.
     *
     * @param claimed record that the claim of the item's present run wrote
     */
    private boolean mayStartNext(String item, ItemRecord claimed) {
        JobSnapshot known = job.snapshot();
        boolean early =
                !claimed.requireRun().fire().triggered() && context.clock().ahead();
        Instant now = context.clock().now();
        return startsItems()
                && !elsewhere(known.plan(), item)
                && !early
                && FireDecision.mayStartNext(known, item, claimed, now);
    }

    /** Returns whether the instance is connected and the current plan is known. */
    private boolean reachable() {
        return job.session != null && job.online && job.snapshot != null && !job.readingPlan;
    }

    /** Everything but the item that decisions of one step are based on. */
    private record Moment(
            JobSnapshot snapshot,
            List<Trigger> triggers,
            Set<String> begun,
            List<FireStop> stops,
            Instant now,
            boolean ahead) {
        Due decide(HostedItem hosted, ItemRecord record, Interruption interruption) {
            return FireDecision.decide(new FireSituation(
                    snapshot, hosted.key(), record, interruption, triggers, begun, stops, now, ahead));
        }
    }

    /**
     * Returns the decisions that are due now, by item, and sets the fire timer for the next one.
     *
     * @param ending true if completions are about to be sent. An item with an ended run is then included if its next
     *     fire is due: one transaction completes the run and claims that fire
     */
    private Map<HostedItem, Due> due(JobSnapshot snapshot, boolean ending) {
        boolean ahead = context.clock().ahead();
        Instant now = context.clock().now();
        Instant wakeAt = snapshot.configuration().overlap() instanceof OverlapPolicy.CancelRunning
                ? runs.endOvertaken(snapshot, now)
                : Instant.MAX;
        if (runsForEarlierSession(snapshot.plan())) {
            return Map.of(); // the end of that run causes the next call
        }
        Set<String> begun = snapshot.plan().closed() ? fires.begun() : Set.of();
        Moment moment = new Moment(snapshot, job.triggers.open(), begun, job.stops, now, ahead);
        Map<HostedItem, Due> dues = new LinkedHashMap<>();
        List<HostedItem> owned = job.items.values().stream()
                .filter(hosted -> job.owns(hosted.key()))
                .toList();
        Set<HostedItem> turn =
                admission.turn(owned.stream().filter(admission::inLine).toList());
        for (HostedItem hosted : owned) {
            if (ending && hosted.mayClaimNext()) {
                claimNext(moment, hosted).ifPresent(next -> dues.put(hosted, next));
            } else if (hosted.state() instanceof Idle idle && (!admission.inLine(hosted) || turn.contains(hosted))) {
                Due due = idle(moment, hosted, idle);
                if (due instanceof Due.Nothing nothing) {
                    Instant next = nothing.wakeAt().orElse(Instant.MAX);
                    wakeAt = next.isBefore(wakeAt) ? next : wakeAt;
                } else {
                    dues.put(hosted, due);
                }
            }
        }
        if (wakeAt.equals(Instant.MAX)) {
            context.platform().fireTimer().cancel(job.name);
        } else {
            context.platform().fireTimer().wakeAt(job.name, context.clock().local(wakeAt), this::wake);
        }
        return dues;
    }

    /** Decides about an idle item. If nothing is due, the item makes no other decision until the time that is returned. */
    private Due idle(Moment moment, HostedItem hosted, Idle idle) {
        if (idle.inLine()) {
            hosted.decideAgain();
        }
        if (idle.quietUntil().isAfter(moment.now())) {
            return new Due.Nothing(Optional.of(idle.quietUntil()));
        }
        ItemRecord record = hosted.known().value();
        Due due = ofAnotherZone(moment.snapshot().plan(), hosted)
                ? new Due.Nothing(Optional.empty())
                : moment.decide(hosted, record, idle.interruption());
        if (due instanceof Due.Start start) {
            admission.due(hosted, start.fire(), moment.now());
        } else {
            admission.notDue(hosted);
        }
        if (!(due instanceof Due.Nothing nothing)) {
            return due;
        }
        if (!nothing.skipping().isEmpty()) {
            skipped.found(hosted.key(), record, nothing.skipping());
        }
        Instant quietUntil = moment.ahead()
                ? moment.now().plus(CLOCK_PAUSE)
                : nothing.wakeAt().orElse(Instant.MAX);
        hosted.quietUntil(quietUntil);
        return new Due.Nothing(Optional.of(quietUntil));
    }

    /**
     * Returns the decision to start an item's next fire in the transaction that completes the item's ended run. Empty
     * if the item cannot start a fire now, or if that transaction would also have to write the progress of a fire.
     */
    private Optional<Due> claimNext(Moment moment, HostedItem hosted) {
        ItemRecord ended = hosted.ending(moment.snapshot().configuration());
        if (ended.state() != ItemState.IDLE
                || kept(hosted.known().value().requireRun().fire(), ended.incarnation())
                || elsewhere(moment.snapshot().plan(), hosted.key())) {
            return Optional.empty();
        }
        Due due = moment.decide(hosted, ended, Interruption.NONE);
        if (!(due instanceof Due.Start start) || kept(start.fire(), ended.incarnation())) {
            return Optional.empty();
        }
        admission.due(hosted, start.fire(), moment.now());
        return Optional.of(due);
    }

    private boolean kept(Fire fire, long incarnation) {
        return job.mayKeep(fire) && fires.keeps(fire, incarnation);
    }

    /**
     * Returns whether this process still runs an item of a broadcast job for an earlier session. A broadcast job runs
     * once per process, so the item of the current session must wait.
     */
    private boolean runsForEarlierSession(ShardingPlan plan) {
        return plan.scope() == Scope.BROADCAST
                && job.items.values().stream().anyMatch(hosted -> hosted.busy() && !job.owns(hosted.key()));
    }

    /**
     * Returns whether the item belongs to another zone and has no interrupted fire. This instance finishes interrupted
     * fires of other zones, but starts no new ones.
     */
    private boolean ofAnotherZone(ShardingPlan plan, HostedItem hosted) {
        return elsewhere(plan, hosted.key()) && !hosted.known().value().unfinished();
    }

    private boolean elsewhere(ShardingPlan plan, String item) {
        return plan.scope() == Scope.ONE_PER_ZONE && !item.equals(zoneKey);
    }

    // ---- events

    /**
     * Called with a new session, or with the same session after a reconnection. At this time, the instance's node
     * already exists.
     */
    public void connected(Session current) {
        job.execute(() -> {
            job.session = current;
            job.online = true;
            // changes during the outage were not reported, and reads can now show the outcome of transactions whose
            // reply was lost
            fires.invalidateAll();
            job.items.values().forEach(HostedItem::reread);
            job.flush = true;
            plan.read();
        });
    }

    /**
     * Returns whether ZooKeeper has stored the definition, so that the instance's node may list the job. Called on the
     * instance's executor.
     */
    public boolean defined() {
        return defined;
    }

    /**
     * Called with the result of the registration, on the instance's executor.
     *
     * @param problem reason why the registration failed; null if it succeeded
     * @param refused true if ZooKeeper does not accept the definition
     */
    public void registered(@Nullable String problem, boolean refused) {
        defined |= problem == null;
        job.execute(() -> {
            job.unregistered = problem;
            job.definitionRefused = refused;
            advance();
        });
    }

    /** Called after {@link #redefine}: writes the definition if its revision is higher than the stored one. */
    public void redefined() {
        job.execute(() -> {
            repair.redefined(registered);
            planChanged();
        });
    }

    public void suspended() {
        job.execute(() -> job.online = false);
    }

    /** Called when the session has ended, or may have ended according to this instance's clock. */
    public void lost(String reason) {
        job.forEachRun(run -> {
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

    public void planChanged() {
        job.execute(plan::read);
    }

    /** Called with all manual triggers of the job. */
    public void triggersChanged(Triggers triggers) {
        job.execute(() -> {
            job.triggers = triggers;
            fires.triggersChanged();
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /** Called with all operators' requests to stop fires of the job. */
    public void stopsChanged(List<FireStop> stops) {
        job.execute(() -> {
            job.stops = stops;
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /**
     * Called when something has changed that concerns all jobs of the instance: the result of its clock check, or
     * whether items may start. The job decides again which fires are due.
     */
    public void decideAgain() {
        job.execute(() -> {
            job.items.values().forEach(HostedItem::decideAgain);
            if (!context.instance().startsItems()) {
                // while no item may start, none waits for a slot
                admission.noneDue();
            }
            advance();
        });
    }

    /** Called when a fire's progress node has changed. */
    public void fireChanged(String fire) {
        job.execute(() -> {
            if (fires.reportedWhileWritten(fire)) {
                return; // the reply to this instance's pending write handles the change
            }
            job.context.instance().fireChanged(fire);
            if (hasOnceListeners() || (job.snapshot != null && job.snapshot().onceListeners())) {
                fires.invalidate(fire);
                advance();
            }
        });
    }

    /** Called when another instance may have changed the nodes of an item. */
    public void itemChanged(String item) {
        job.execute(() -> {
            HostedItem hosted = job.items.get(item);
            if (hosted != null && hosted.nodesChanged()) {
                advance();
            }
        });
    }

    /**
     * Rereads nodes whose watches may have been lost, and looks for causes of alarms. Called every few seconds. Has no
     * effect while an earlier call still waits for its turn.
     *
     * @param everything true to reread the plan and all idle items too. Items that another session runs and items with
     *     an unusable record are always reread
     */
    public void look(boolean everything) {
        if (job.draining) {
            shutdown.lookForExits();
        }
        if (everything) {
            lookAtEverything.set(true);
        }
        // only once, because looks would pile up in a job whose steps take longer than the time between two looks
        job.executeOnce(looking, () -> {
            if (job.over()) {
                return;
            }
            boolean all = lookAtEverything.getAndSet(false);
            if (all) {
                plan.read();
            }
            job.items.values().stream()
                    .filter(hosted -> hosted.state() instanceof Foreign || (all && hosted.state() instanceof Idle))
                    .forEach(HostedItem::reread);
            skipped.examine();
            runs.warnOfLong();
            advance();
            reports.run(() -> {
                JobSnapshot known = job.snapshot;
                alarms.examine(!job.draining, hosted -> known != null && ofAnotherZone(known.plan(), hosted));
                status.examine();
            });
        });
    }

    /** Examines the job for monitoring systems. Called every few seconds while {@link #look} is not called. */
    public void examine() {
        job.execute(() -> reports.run(status::examine));
    }

    /**
     * Ends a drained job in this process. When the returned stage has completed, this object ignores all replies and
     * reports nothing more, and the process may host the job again.
     */
    public CompletionStage<Void> letGo() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        job.execute(() -> {
            job.end();
            admission.end();
            done.complete(null);
        });
        return done;
    }

    /**
     * Closes the job. Waits for the calls of its listeners, then calls {@code destroy()} on a worker, because that
     * method is user code.
     */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> notified = new CompletableFuture<>();
        job.execute(() -> {
            if (listeners == null) {
                notified.complete(null);
            } else {
                listeners.close().whenComplete((done, error) -> notified.complete(null));
            }
        });
        return notified.thenRunAsync(this::end, context.platform()::callUser);
    }

    private void end() {
        scheduled.completeExceptionally(
                new CoordinationException("job '" + job.name + "' was closed here before it was scheduled"));
        body.destroy();
    }

    // ---- queries; may be called on any thread

    /**
     * Returns a stage that completes once ZooKeeper has stored the definition and this instance has read a plan of the
     * job.
     */
    public CompletionStage<Void> scheduled() {
        return scheduled.minimalCompletionStage();
    }

    public String name() {
        return registered.jobName();
    }

    /**
     * Replaces this instance's definition of the job at once, so that the latest call wins even while the engine is
     * busy. The caller must ensure that {@link #redefined} is called afterwards.
     */
    public void redefine(Definition definition) {
        registered = definition;
    }

    /** Returns this instance's definition of the job. ZooKeeper may have another definition, which is then in force. */
    public Definition definition() {
        return registered;
    }

    /**
     * Returns the state of the job in this instance, as last examined; empty if the job's plan has not been read yet.
     *
     * @param tasks metrics of the job's child tasks
     */
    public Optional<Status.Hosted> status(TaskMetrics tasks) {
        return status.read(tasks);
    }

    /** Returns whether this instance has once-listeners for the job. */
    public boolean hasOnceListeners() {
        return hasOnceListeners;
    }

    /**
     * Returns whether the job has a run in this instance. A run exists from the reply to its claim until its completion
     * is recorded. A claim without a reply does not count, because its run has not started.
     */
    public boolean running() {
        return running;
    }

    /**
     * Returns the items that this process started in an earlier session and that are still running. The process had
     * another instance id in that session.
     *
     * @param instanceId id of this instance in its current session
     */
    public Set<String> executingFromBefore(String instanceId) {
        return completions.executingFromBefore(instanceId);
    }

    /** Returns the steps that end the job in this instance. */
    public JobShutdown shutdown() {
        return shutdown;
    }

    public Completions completions() {
        return completions;
    }

    /** Returns the time for which runs may continue during a shutdown. */
    public Duration shutdownGrace() {
        JobSnapshot known = job.snapshot;
        return (known == null ? registered.configuration() : known.configuration()).shutdownGrace();
    }
}
