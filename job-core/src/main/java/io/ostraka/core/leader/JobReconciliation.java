package io.ostraka.core.leader;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.api.Scope;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Cleanup;
import io.ostraka.core.decide.ClosedPlan;
import io.ostraka.core.decide.Overlap;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.PlanRecovery;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles one job during a term of leadership: reads the job, decides its plan, and writes the plan. Only one
 * reconciliation runs at a time. Confined to the leader's executor.
 */
final class JobReconciliation {
    private static final Logger log = LoggerFactory.getLogger(JobReconciliation.class);
    /** Pause before a job is reconciled again after a failure or while it waits for running items. */
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** Time after which health reports that a sharding strategy has not answered. */
    private static final Duration STRATEGY_PATIENCE = Duration.ofSeconds(10);

    /**
     * Time without a host after which health reports that no instance hosts the job. Shorter times are normal, because
     * a deployment may restart the only host.
     */
    private static final Duration RESTART = Duration.ofMinutes(1);

    private final String job;
    private final Term term;
    private final PlanMaker planMaker;
    private final PlanWriter planWriter;
    private final JobCleanup cleanup;
    private final EndingChanges endingChanges;
    private final RunTimes runTimes = new RunTimes();
    private Runnable nextReading = () -> {};
    private @Nullable JobView view;
    /** Plan under which the job ran until its nodes were deleted by hand; null if they were not. */
    private @Nullable ShardingPlan deleted;
    /** True from the start of a reconciliation until the reply to its write. */
    private boolean busy;
    /** True if the next reconciliation must read the job first. */
    private boolean stale = true;
    /** True if another reconciliation was requested while one was running. */
    private boolean again;
    /** True if a later reconciliation is scheduled already. */
    private boolean pausing;
    /** Description of the job's unreadable nodes; null if all are readable. */
    private @Nullable String unreadable;
    /** True if an instance has hosted the job during this term. */
    private boolean hosted;
    /** Start of the time without a host, on the server's clock; null while an instance hosts the job. */
    private @Nullable Instant noHostSince;
    /** True if the job has no definition and no host any more. */
    private boolean forgotten;
    /** Problems in the latest report; empty if there were none. */
    private Map<Kind, String> reported = Map.of();

    JobReconciliation(String job, Term term) {
        this.job = job;
        this.term = term;
        this.planMaker = new PlanMaker(job, term, runTimes);
        this.planWriter = new PlanWriter(job, term, this::await, this::written);
        this.cleanup = new JobCleanup(job, term, planWriter, this::reconcile, this::readAndReconcile);
        this.endingChanges = new EndingChanges(job, term, this::reconcile);
    }

    /** Reconciles the job from its latest known state. Reads the job first if that state is outdated. */
    void reconcile() {
        if (busy) {
            again = true;
            return;
        }
        if (term.over || !term.instancesKnown) {
            return;
        }
        again = false;
        busy = true;
        JobView known = view;
        if (!stale && known != null) {
            act(() -> observe(known));
            return;
        }
        stale = false;
        act(() -> await(term.coordination.jobs().job(job), this::take));
    }

    /** Returns the job as last read; empty before the first read and while the job cannot be read. */
    Optional<JobView> view() {
        return Optional.ofNullable(view);
    }

    /** Reads the job again, even if its known state seems current, and reconciles it. */
    void readAndReconcile() {
        stale = true;
        reconcile();
    }

    /**
     * Reconciles the job periodically. If a problem of the job is reported, reads the job first, because the problem
     * may have been solved.
     */
    void reconcileAgain() {
        stale |= reported.keySet().stream()
                .anyMatch(kind -> kind.needsAttention() && kind != Kind.NO_HOST && kind != Kind.ALARMS_DROPPED);
        reconcile();
        JobView known = view;
        if (known != null
                && known.plan() != null
                && known.definition() != null
                && known.definition().value().onceListeners()) {
            cleanup.sweepOnce(known, known.plan());
        }
    }

    /**
     * Reads all nodes of the job, reconciles the job and cleans up. The reconciler calls this for one job after the
     * other.
     */
    void audit() {
        readAndReconcile();
        JobView known = view;
        Versioned<ShardingPlan> plan = known == null ? null : known.plan();
        if (known != null && plan != null) {
            cleanup.audit(known, plan, this::read);
        }
    }

    /**
     * Passes on the items that an audit has read, and stores their run times if the job's strategy needs them.
     */
    private void read(List<ItemView> items) {
        JobView known = view;
        if (term.over || known == null) {
            return;
        }
        if (planMaker.needs(known).contains(Need.RUN_TIMES)) {
            runTimes.take(items, true);
            reconcile();
        }
        term.itemsRead(known, items);
    }

    /**
     * Passes a reply to the next step, on the leader's executor. Ignores a reply that arrives after the end of the term
     * of leadership.
     */
    private <T> void await(CompletionStage<T> stage, Consumer<T> then) {
        stage.whenComplete((reply, error) -> term.executor.execute(() -> {
            if (term.over) {
                return;
            }
            if (error == null) {
                act(() -> then.accept(reply));
            } else {
                failed(error);
            }
        }));
    }

    private void act(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) { // even an Error of the JVM; the job is planned again later
            failed(e);
        }
    }

    /** Handles a failure of this job's reconciliation and schedules a retry. Other jobs are not affected. */
    private void failed(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (cause instanceof CoordinationException || cause instanceof RejectedExecutionException) {
            log.debug("job '{}': {}", job, cause.toString()); // no connection, or the process is closing
        } else if (cause != null) {
            defect(cause);
        }
        stale = true;
        busy = false; // these flags are reset first, so the next reconciliation can start even if this method fails
        term.distribution.read(job, null, null); // other jobs must not wait for this one
        done(true);
    }

    private void defect(Throwable cause) {
        try {
            if (!reported.containsKey(Kind.PLANNING_DEFECT)) {
                log.error(
                        "job '{}' cannot be planned because of a defect; planning is retried, please report it",
                        job,
                        cause);
            }
            report(Map.of(
                    Kind.PLANNING_DEFECT,
                    "planning failed with " + cause
                            + "; the plan in force stays and planning is retried; this is a defect, please report it"));
        } catch (Throwable e) { // possibly the same error as in the planning
            cause.addSuppressed(e);
        }
    }

    private void done(boolean lookLater) {
        busy = false;
        if (again) {
            reconcile();
        } else if (lookLater && !pausing) {
            later(PAUSE, () -> {
                pausing = false;
                reconcile();
            });
            pausing = true;
        }
    }

    private Runnable later(Duration pause, Runnable task) {
        return term.platform.timer().after(pause, () -> term.executor.execute(task));
    }

    private void report(Map<Kind, String> problems) {
        if (forgotten) {
            return;
        }
        Map<Kind, String> all = new EnumMap<>(Kind.class);
        all.putAll(problems);
        if (unreadable != null) {
            all.put(Kind.UNREADABLE, unreadable);
        }
        if (lacksOnceListener()) {
            all.put(
                    Kind.ONCE_LISTENER_MISSING,
                    "registered with a OnceListener, and no instance that hosts the job has it: its fires run without;"
                            + " start an instance with the listener, or register the job without it");
        }
        if (lacksHost()) {
            all.put(
                    Kind.NO_HOST,
                    "no instance hosts the job: none of its items runs, and its triggers wait;"
                            + " start an instance that registers it, or remove the job");
        }
        String backfill = term.backfillProblems.get(job);
        if (backfill != null) {
            all.put(Kind.BACKFILL_FAILED, backfill);
        }
        Map<String, Integer> dropped = term.alarmsDropped(job);
        if (!dropped.isEmpty()) {
            all.put(
                    Kind.ALARMS_DROPPED,
                    dropped.entrySet().stream()
                                    .map(handler -> handler.getValue() + " alarms were dropped before handler "
                                            + handler.getKey() + " received them")
                                    .collect(Collectors.joining("; "))
                            + "; repair the handler, and see the log of this instance for its errors");
        }
        reported = all;
        term.leadingInstance.planned(job, all);
    }

    /** Takes back the reported problems, because the job was forgotten. Replies that are under way report no others. */
    void forget() {
        forgotten = true;
        reported = Map.of();
        term.leadingInstance.planned(job, reported);
    }

    /** Returns whether the job has had no host for longer than a restart takes. */
    private boolean lacksHost() {
        JobView known = view;
        hosted |= term.hosts(job);
        if (known == null
                || known.definition() == null
                || known.overrideOrNone().removed()
                || (known.plan() != null && known.plan().value().removed())
                || term.hosts(job)) {
            noHostSince = null;
            return false;
        }
        Instant now = now();
        if (noHostSince == null) {
            noHostSince = hosted ? now : term.unhostedSince(known);
        }
        // an instance that has just started may be the first one after a restart of the whole application
        return !noHostSince.plus(RESTART).isAfter(now) && term.instanceAge().compareTo(RESTART) >= 0;
    }

    /**
     * Returns whether the job's once-listeners are missing: an instance is eligible to own the job's items, but no
     * registered instance has the listeners.
     */
    private boolean lacksOnceListener() {
        JobView known = view;
        return known != null
                && known.definition() != null
                && known.definition().value().onceListeners()
                && !known.overrideOrNone().removed()
                && term.placeable(known)
                && !term.hasOnceListener(job);
    }

    private void take(JobView read) {
        JobView before = view;
        JobView known = read.completedBy(before);
        view = known;
        unreadable = read.problem(known, "the state read before stays in force");
        term.distribution.read(
                job,
                known.overrideKnown() ? term.effective(known) : null,
                known.plan() == null ? null : known.plan().value());
        Versioned<ShardingPlan> last = before == null ? null : before.plan();
        if (known.definition() == null && last != null && !last.value().removed()) { // not after a purge
            deleted = last.value();
        }
        if (known.definition() == null
                || !known.overrideKnown()
                || (read.damages().plan() != null && last == null)) {
            view = null; // the next view must not be based on an incomplete one
        }
        if (known.definition() == null) {
            report(Map.of());
            if (unreadable == null && !term.hosts(job)) {
                term.forget(job);
            }
            done(false);
        } else if (!known.overrideKnown()) {
            report(Map.of());
            done(false); // an operator, or an instance that knows the last readable override, replaces the node
        } else if (known.plan() == null && (last != null || read.damages().plan() != null)) {
            view = before;
            restorePlan(known, last);
        } else {
            observe(known);
        }
    }

    /** Restores a plan that is damaged or was deleted. */
    private void restorePlan(JobView seen, @Nullable Versioned<ShardingPlan> last) {
        await(
                PlanRecovery.needsItems(seen, last)
                        ? allItems(Items.Watch.NOTHING)
                        : CompletableFuture.completedStage(List.of()),
                items -> {
                    PlanRecovery.Restored plan =
                            PlanRecovery.of(seen, last, items, now()).orElse(null);
                    if (plan == null) {
                        report(Map.of());
                        done(false);
                        return;
                    }
                    log.warn("job '{}': {}", job, plan.reason());
                    unreadable = null;
                    stale = true;
                    planWriter.write(plan.from(), new PlanDecision.Write(plan.to(), Map.of()), Map.of());
                });
    }

    private CompletionStage<List<ItemView>> allItems(Items.Watch watch) {
        return term.coordination.items().keys(job).thenCompose(keys -> term.coordination
                .items()
                .read(job, keys, watch));
    }

    /**
     * Revokes the changes of the override that have ended. Then reads the other inputs for the decision about the plan.
     */
    private void observe(JobView seen) {
        Optional<CompletionStage<TransactionResult>> ending = endingChanges.end(seen);
        if (ending.isEmpty()) {
            observeRest(seen);
            return;
        }
        await(ending.get(), result -> {
            if (result instanceof TransactionResult.Refused) {
                observeRest(seen); // the job must not stay unplanned; the next reconciliation tries again
                return;
            }
            stale = true;
            again |= result instanceof TransactionResult.Done;
            done(true);
        });
    }

    /**
     * Reads the remaining inputs for the decision about the plan. While the plan is closed for a change of the item
     * count or scope, these inputs are all items. Otherwise they are the data that the sharding strategy needs.
     */
    private void observeRest(JobView seen) {
        Set<Need> needs = planMaker.needs(seen);
        if (!term.distribution.ready(job, needs.contains(Need.OTHER_ITEMS))) {
            done(false); // the job is reconciled again after the read of the other jobs
            return;
        }
        Versioned<ShardingPlan> plan = seen.plan();
        if (plan != null) {
            term.membership.planned(plan.value().items().keySet());
        }
        if (plan != null && plan.value().closed()) {
            observeClosed(seen);
        } else if (plan == null || !term.placeable(seen)) {
            decide(seen, null, Set.of());
        } else {
            observeZones(seen, plan.value(), needs);
        }
    }

    /**
     * Reads the items of zones without an eligible instance. The plan contains such an item only while the item has an
     * unfinished fire.
     */
    private void observeZones(JobView seen, ShardingPlan plan, Set<Need> needs) {
        List<String> zonesWithoutInstance = plan.scope() == Scope.ONE_PER_ZONE
                ? planMaker.zonesWithoutInstance(seen, plan, cleanup.unfinishedZones())
                : List.of();
        if (zonesWithoutInstance.isEmpty()) {
            measure(seen, plan, needs, Set.of());
            return;
        }
        await(
                term.coordination.items().read(job, zonesWithoutInstance, Items.Watch.NOTHING),
                items -> measure(
                        seen,
                        plan,
                        needs,
                        items.stream()
                                .filter(Cleanup::unfinished)
                                .map(ItemView::item)
                                .collect(Collectors.toSet())));
    }

    private void measure(JobView seen, ShardingPlan plan, Set<Need> needs, Set<String> unfinished) {
        List<String> due = runTimes.due(needs, plan, now());
        if (due.isEmpty()) {
            decide(seen, null, unfinished);
            return;
        }
        await(term.coordination.items().read(job, due, Items.Watch.NOTHING), items -> {
            runTimes.take(items, due.size() == plan.keys().size());
            if (needs.contains(Need.FIRE)) {
                nextReading.run();
                nextReading = later(nextReading(seen, plan, items.get(0)), this::reconcile);
            }
            decide(seen, null, unfinished);
        });
    }

    /** Returns the pause until the next read of the job's first item, which has just been read. */
    private Duration nextReading(JobView seen, ShardingPlan plan, ItemView first) {
        ItemRecord record = first.record() == null ? null : first.record().value();
        Run run = record == null || record.state() != ItemState.RUNNING ? null : record.run();
        FireTimes times = term.times(seen, plan);
        Optional<Instant> nextFire =
                run == null || times == null ? Optional.empty() : Overlap.next(job, first.item(), run, plan, times);
        return runTimes.plan(times, run, nextFire, now());
    }

    private Instant now() {
        return term.coordination.membership().serverTime();
    }

    /** Reads all items of the job and then the progress of its triggered fires. */
    private void observeClosed(JobView seen) {
        await(
                allItems(Items.Watch.RUNNING)
                        .thenCompose(items -> triggeredFires().thenApply(fires -> Map.entry(items, fires))),
                read -> takeClosed(seen, read.getKey(), read.getValue()));
    }

    private void takeClosed(JobView seen, List<ItemView> items, List<FireView> triggered) {
        if (seen.plan() != null) {
            cleanup.sweep(seen, seen.plan(), items);
        }
        ClosedPlan closed = ClosedPlan.of(
                seen,
                items,
                ClosedPlan.continues(triggered),
                term.instances,
                term.placeable(seen),
                now().plus(ClockCheck.TOLERANCE));
        if (closed.damage() != null) {
            report(Map.of(
                    Kind.UNREADABLE_ITEMS, closed.damage() + "; the change of the item count waits for its owner"));
            done(true);
        } else {
            decide(seen, closed, Set.of());
        }
    }

    /**
     * Reads the fires of the job's triggers. The fire of an unreadable trigger may have begun, so it counts as a
     * damaged fire.
     */
    private CompletionStage<List<FireView>> triggeredFires() {
        return term.coordination.fires().triggers().thenCompose(triggers -> {
            CompletionStage<List<FireView>> all = CompletableFuture.completedStage(new ArrayList<>());
            for (Trigger trigger : triggers.of(job).readable()) {
                all = all.thenCombine(
                        term.coordination.fires().look(job, trigger.fire().id()), (fires, fire) -> {
                            fires.add(fire);
                            return fires;
                        });
            }
            return all.thenApply(fires -> {
                triggers.of(job)
                        .unreadable()
                        .forEach(trigger -> fires.add(new FireView(trigger.name(), null, trigger.damage())));
                return fires;
            });
        });
    }

    private void decide(JobView seen, @Nullable ClosedPlan closed, Set<String> unfinished) {
        CompletableFuture<PlanDecision> decision = planMaker
                .decide(seen, closed == null ? null : closed.ledger(), unfinished, deleted, planWriter.batch())
                .toCompletableFuture();
        if (decision.isDone() && !decision.isCompletedExceptionally()) {
            act(seen, closed, decision.join());
            return;
        }
        Runnable deadline = later(
                STRATEGY_PATIENCE,
                () -> report(Map.of(
                        Kind.PLAN_REFUSED,
                        "its sharding strategy has not answered for " + STRATEGY_PATIENCE.toSeconds()
                                + " s; the plan in force stays")));
        await(decision.whenComplete((decided, error) -> deadline.run()), decided -> act(seen, closed, decided));
    }

    private void act(JobView seen, @Nullable ClosedPlan closed, PlanDecision decision) {
        Versioned<ShardingPlan> plan = seen.plan();
        if (decision instanceof PlanDecision.Write write) {
            if (write.plan() != null) {
                term.distribution.decided(job, write.plan());
            }
            if (closed == null) {
                planWriter.writeUnread(seen, write);
            } else {
                planWriter.write(plan, write, closed.items());
            }
            return;
        }
        ShardingPlan.Change change = plan == null ? null : plan.value().change();
        report(
                decision instanceof PlanDecision.Refuse refuse
                        ? Map.of(refuse.kind(), refuse.reason() + "; the plan in force stays")
                        : closed == null || plan == null || change == null
                                ? Map.of()
                                : Map.of(Kind.ITEM_COUNT_CHANGING, closed.text(plan.value(), change)));
        if (plan != null && (closed == null || plan.value().total() == 0)) {
            cleanup.sweep(seen, plan);
        }
        done(closed != null);
    }

    private void written(
            @Nullable Versioned<ShardingPlan> from, @Nullable ShardingPlan next, TransactionResult result) {
        JobView seen = view;
        if (result instanceof TransactionResult.Done done && from != null && next != null && seen != null) {
            // if the job has changed since it was read, an event has marked or will mark the view as stale
            Versioned<ShardingPlan> plan =
                    from.next(next, done.commit().zxid(), done.commit().at());
            view = new JobView(job, seen.definition(), seen.override(), plan, JobView.Damages.NONE);
        } else {
            stale = true;
        }
        if (result instanceof TransactionResult.Done) {
            if (next != null) {
                term.distribution.written(job, next);
            }
            log.debug("job '{}': plan written: {}", job, next);
            report(Map.of()); // only now, because the problem exists until the plan is written
            // Reconcile again: the next step of a change may be possible at once, more items may join the plan, or
            // items that left the plan may have runs to end.
            again |= next == null || next.closed() || !ShardingPlan.numbered(next.scope());
        } else if (result instanceof TransactionResult.Outdated outdated) {
            log.debug("job '{}': plan not written: {} is outdated", job, outdated.about());
        } else if (result instanceof TransactionResult.Refused refused) {
            report(Map.of(
                    Kind.REFUSED,
                    refused.tooLarge()
                            ? "its plan is larger than one ZooKeeper request may be; raise jute.maxbuffer"
                            : "ZooKeeper refused its plan; check access rights and quotas"));
        }
        done(!(result instanceof TransactionResult.Done));
    }
}
