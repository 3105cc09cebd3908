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
 * One job in this instance: from the alarm to users' code and back.
 *
 * <p>Everything happens on the job's own lane. Whatever occurs (the alarm, a new plan, a reply, a run's end) changes what
 * is known and then calls {@link #advance}, which does all that can be done now: it reads what is unknown, sends what has
 * ended, and claims what is due. Nothing waits; a reply is one more occurrence.
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

    /** What the engine failed of at its last step, which it shouldn't; null when it didn't. Of the job's lane. */
    private @Nullable String defect;

    private boolean retrying;
    private volatile boolean running;
    private volatile Set<String> underWay = Set.of();
    private volatile @Nullable CompletableFuture<Void> drained;
    private final CompletableFuture<Void> scheduled = new CompletableFuture<>();
    /** Whether {@link #scheduled} is still to be completed. Of the job's lane. */
    private boolean unscheduled = true;
    /** Of the job's lane; null as long as nobody waits. */
    private @Nullable CompletableFuture<Void> released;

    /** Hosts a job; the configuration given here serves until the effective one is known. */
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

    // ---- the story of a trigger

    /** The alarm: what is due is looked at as soon as any of it could start. */
    private void wake() {
        job.execute(() -> {
            if (running || admission.knock()) {
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
            sayWhatTakesTooLong();
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
        if (released != null && !waitsForItsPlan()) {
            released.complete(null);
        }
    }

    /** One line for all items of which it is new. */
    private void sayWhatTakesTooLong() {
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
     * A step of the engine's has failed, or the JVM under it: this job is tried again, and no other notices. How far the step
     * had come nobody knows, so that all that it may have left half done is read again.
     */
    private void failed(Throwable failure) {
        boolean first = defect == null;
        defect = "the engine failed with " + failure + "; it is tried again, please report it";
        try {
            if (first) {
                log.error("job '{}' can't go on; this is a defect, please report it", job.name, failure);
            }
            health.stepped(job, drained != null, defect);
        } finally {
            if (!retrying) {
                job.later(DEFECT_PAUSE, () -> {
                    retrying = false;
                    fires.doubtAll();
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

    /** Whether there is somebody to ask, and something to decide from. */
    private boolean reachable() {
        return job.session != null && job.online && job.snapshot != null && !job.readingPlan;
    }

    /**
     * Returns what is to be claimed or decided now, and has the rest looked at in time.
     *
     * @param ending whether ends of runs are about to be sent: an item whose next fire is due by then goes on with that
     */
    private Map<HostedItem, Due> due(JobSnapshot snapshot, boolean ending) {
        Instant now = context.platform().clock().now();
        Instant wakeAt = endOvertaken(snapshot, now);
        if (unreturned(snapshot.plan())) {
            return Map.of(); // its return goes on
        }
        Map<HostedItem, Due> dues = new LinkedHashMap<>();
        Set<String> begun = snapshot.plan().closed() ? fires.begun() : Set.of();
        for (String item : snapshot.plan().itemsOf(job.session().instanceId())) {
            HostedItem hosted = job.items.get(item);
            if (hosted != null && ending && hosted.mayClaimNext()) {
                goingOn(snapshot, hosted, begun, now).ifPresent(next -> dues.put(hosted, next));
                continue;
            }
            if (hosted == null || !(hosted.state() instanceof Idle idle)) {
                continue;
            }
            Instant quietUntil = idle.quietUntil();
            if (!quietUntil.isAfter(now)) {
                Due due = elsewhere(snapshot.plan(), hosted)
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

    /** Returns what an item whose run has ended starts next, if that is due and asks for no more than its record does. */
    private Optional<Due> goingOn(JobSnapshot snapshot, HostedItem hosted, Set<String> begun, Instant now) {
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

    /** Whether a run for an earlier session has not returned, of a job of which a process runs one thing at a time. */
    private boolean unreturned(ShardingPlan plan) {
        return plan.scope() == Scope.BROADCAST
                && job.items.values().stream().anyMatch(hosted -> hosted.busy() && !job.owns(hosted.key()));
    }

    /** Whether it is the item of another zone, of which no more is run here than what was interrupted there. */
    private boolean elsewhere(ShardingPlan plan, HostedItem hosted) {
        return plan.scope() == Scope.ONE_PER_ZONE
                && !hosted.known().value().unfinished()
                && !hosted.key().equals(zoneKey);
    }

    /** Tells runs to end whose place a later fire takes; returns when the next does. */
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

    /** A clock far ahead of the server's would run scheduled fires before their time, or leave them out. */
    private boolean tooEarly(Due due, ItemRecord record) {
        Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
        return !fire.triggered() && !record.unfinished() && context.clock().ahead();
    }

    // ---- what occurs

    /** A session is there, first or again; the instance's node has been written. */
    public void connected(Session current) {
        job.execute(() -> {
            job.session = current;
            job.online = true;
            // whatever happened meanwhile was not reported, and what was unanswered can be known now
            fires.doubtAll();
            job.items.values().forEach(HostedItem::reread);
            job.flush = true;
            resync.readPlan();
        });
    }

    /** Whether ZooKeeper has the definition, so that the instance may say that it hosts the job. Of the instance's lane. */
    public boolean defined() {
        return defined;
    }

    /** ZooKeeper has the definition, or doesn't take it yet. Of the instance's lane. */
    public void registered(@Nullable String problem) {
        defined |= problem == null;
        job.execute(() -> {
            job.unregistered = problem;
            advance();
        });
    }

    /** The connection is gone. */
    public void suspended() {
        job.execute(() -> job.online = false);
    }

    /** The session is over, or must be taken as over. */
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

    /** The job's plan has changed. */
    public void planChanged() {
        job.execute(resync::readPlan);
    }

    /** The manual triggers of the job have changed; here they are, oldest first. */
    public void triggersChanged(List<Trigger> triggers) {
        job.execute(() -> {
            job.triggers = triggers;
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /** The clock was found right or wrong: what is due by it must be decided anew. */
    public void clockChanged() {
        job.execute(() -> {
            job.items.values().forEach(HostedItem::decideAgain);
            advance();
        });
    }

    /** The progress of a fire has changed. */
    public void fireChanged(String fire) {
        job.execute(() -> {
            if (fires.reportedWhileWritten(fire)) {
                return; // the reply of that write tells more
            }
            job.context.instance().fireChanged(fire);
            if (hasOnceListeners() || (job.snapshot != null && job.snapshot().onceListeners())) {
                fires.doubt(fire);
                advance();
            }
        });
    }

    /** What an item waited for is there. */
    public void itemChanged(String item) {
        job.execute(() -> {
            HostedItem hosted = job.items.get(item);
            if (hosted != null && hosted.nodesChanged()) {
                advance();
            }
        });
    }

    /** Looks after what events should have told: now and then after what is waited for, rarely after everything. */
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

    /** Claims nothing more; completed once nothing of the job runs here any more. */
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

    /** Tells what runs to end, and gives it up for others to take over. */
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
     * Completed once the plan, too, says that the instance leaves on purpose: where that keeps its items for its restart, the
     * leader must have seen it before the instance is gone.
     */
    public CompletionStage<Void> released() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        job.execute(() -> {
            released = done;
            advance();
        });
        return done;
    }

    private boolean waitsForItsPlan() {
        return job.session != null
                && job.online
                && job.snapshot != null
                && !job.snapshot().configuration().restartGrace().isZero()
                && !job.snapshot().plan().itemsOf(job.session().instanceId()).isEmpty();
    }

    /** Nothing more is read, written or told for it: from now on it may be hosted anew. Of a job that is drained. */
    public void letGo() {
        job.end();
    }

    /** Ends the job in this process, on a worker: what users' code does there items up nobody. */
    public CompletionStage<Void> close() {
        context.platform().alarm().cancel(job.name);
        CompletableFuture<Void> told = new CompletableFuture<>();
        job.execute(() -> {
            if (listeners == null) {
                told.complete(null);
            } else {
                listeners.close().whenComplete((done, error) -> told.complete(null));
            }
        });
        return told.thenRunAsync(this::end, context.platform().workers());
    }

    private void end() {
        scheduled.completeExceptionally(
                new CoordinationException("job '" + job.name + "' was closed here before it was scheduled"));
        body.destroy();
    }

    // ---- what others may know, on any thread

    /** Returns a stage that completes once ZooKeeper has the definition and this instance knows a plan of the job. */
    public CompletionStage<Void> scheduled() {
        return scheduled.minimalCompletionStage();
    }

    public String name() {
        return registered.jobName();
    }

    /** Whether it can tell once-listeners of its fires. */
    public boolean hasOnceListeners() {
        return hasOnceListeners;
    }

    /**
     * Whether something runs that was claimed, or its end is still to be told. What is being claimed isn't among it: nothing
     * of it runs before ZooKeeper has answered.
     */
    public boolean running() {
        return running;
    }

    /** Whether it claims nothing more. */
    public boolean draining() {
        return drained != null;
    }

    /** Items whose code was begun under an earlier session and has not returned. */
    public Set<String> executingFromBefore(String instanceId) {
        return completions.executingFromBefore(instanceId);
    }

    /** What has become of its runs since it is drained. */
    public Completions completions() {
        return completions;
    }

    /** Items of which something is still under way, of a job that is drained. */
    public Set<String> underWay() {
        return underWay;
    }

    /** How long its runs may go on at shutdown. */
    public Duration shutdownGrace() {
        JobSnapshot known = job.snapshot;
        return (known == null ? registered.configuration() : known.configuration()).shutdownGrace();
    }
}
