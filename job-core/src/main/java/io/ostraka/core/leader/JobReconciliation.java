package io.ostraka.core.leader;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.api.Scope;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.TransactionResult;
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
import io.ostraka.core.time.Refresh;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
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

    /** End of a pass. Something else causes the next pass. */
    private static final CompletionStage<Boolean> DONE = CompletableFuture.completedStage(false);
    /** End of a pass. The job must be reconciled again after a pause. */
    private static final CompletionStage<Boolean> LATER = CompletableFuture.completedStage(true);

    private final String job;
    private final Term term;
    private final PlanMaker planMaker;
    private final PlanWriter planWriter;
    private final JobCleanup cleanup;
    private final EndingChanges endingChanges;
    private final PlanningProblems problems;
    private final RunTimes runTimes = new RunTimes();
    private final Refresh<Pass> passes;
    private Runnable nextReading = () -> {};
    private @Nullable JobView view;
    /** Plan under which the job ran until its nodes were deleted by hand; null if they were not. */
    private @Nullable ShardingPlan deleted;
    /** True if the next reconciliation must read the job first. */
    private boolean stale = true;
    /** Description of the job's unreadable nodes; null if all are readable. */
    private @Nullable String unreadable;

    /**
     * The end of a pass.
     *
     * @param later true if the job must be reconciled again after a pause; null after a failure
     */
    private record Pass(@Nullable Boolean later, @Nullable Throwable error) {}

    JobReconciliation(String job, Term term) {
        this.job = job;
        this.term = term;
        this.problems = new PlanningProblems(job, term);
        this.planMaker = new PlanMaker(job, term, runTimes);
        this.planWriter = new PlanWriter(job, term);
        this.cleanup = new JobCleanup(job, term, planWriter, this::reconcile, this::readAndReconcile);
        this.endingChanges = new EndingChanges(job, term, this::reconcile);
        this.passes = new Refresh<>(
                "the planning of job '" + job + "'",
                term,
                PAUSE,
                () -> !term.over && term.instancesKnown,
                () -> Stages.of(this::pass).handle(Pass::new),
                this::ended);
    }

    /** Reconciles the job from its latest known state. Reads the job first if that state is outdated. */
    void reconcile() {
        passes.demand();
    }

    /** Reconciles the job once. Like all steps of a pass, returns whether another pass is necessary after a pause. */
    private CompletionStage<Boolean> pass() {
        JobView known = view;
        if (!stale && known != null) {
            return observe(known);
        }
        stale = false;
        return term.coordination.jobs().job(job).thenComposeAsync(this::take, term);
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
        stale |= problems.mayBeSolved();
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

    private void ended(Pass pass) {
        if (pass.error != null) {
            failed(Stages.cause(pass.error));
        }
        if (pass.later == null || pass.later) {
            passes.demandAfter(PAUSE);
        }
    }

    /** Handles a failure of this job's reconciliation. Other jobs are not affected. */
    private void failed(Throwable cause) {
        stale = true;
        term.distribution.read(job, null, null); // other jobs must not wait for this one
        if (cause instanceof CoordinationException || cause instanceof RejectedExecutionException) {
            log.debug("job '{}': {}", job, cause.toString()); // no connection, or the process is closing
            return;
        }
        if (!problems.reported(Kind.PLANNING_DEFECT)) {
            log.error(
                    "job '{}' cannot be planned because of a defect; planning is retried, please report it",
                    job,
                    cause);
        }
        report(Map.of(
                Kind.PLANNING_DEFECT,
                "planning failed with " + cause
                        + "; the plan in force stays and planning is retried; this is a defect, please report it"));
    }

    private void report(Map<Kind, String> found) {
        problems.report(found, view, unreadable);
    }

    /** Takes back the reported problems, because the job was forgotten. Replies that are under way report no others. */
    void forget() {
        problems.forget();
    }

    private CompletionStage<Boolean> take(JobView read) {
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
            return DONE;
        } else if (!known.overrideKnown()) {
            report(Map.of());
            return DONE; // an operator, or an instance that knows the last readable override, replaces the node
        } else if (known.plan() == null && (last != null || read.damages().plan() != null)) {
            view = before;
            return restorePlan(known, last);
        }
        return observe(known);
    }

    /** Restores a plan that is damaged or was deleted. */
    private CompletionStage<Boolean> restorePlan(JobView seen, @Nullable Versioned<ShardingPlan> last) {
        CompletionStage<List<ItemView>> read = PlanRecovery.needsItems(seen, last)
                ? allItems(Items.Watch.NOTHING)
                : CompletableFuture.completedStage(List.of());
        return read.thenComposeAsync(
                items -> {
                    PlanRecovery.Restored plan =
                            PlanRecovery.of(seen, last, items, now()).orElse(null);
                    if (plan == null) {
                        report(Map.of());
                        return DONE;
                    }
                    log.warn("job '{}': {}", job, plan.reason());
                    unreadable = null;
                    stale = true;
                    return planWriter
                            .write(plan.from(), new PlanDecision.Write(plan.to(), Map.of()), Map.of())
                            .thenApply(result -> written(plan.from(), plan.to(), result));
                },
                term);
    }

    private CompletionStage<List<ItemView>> allItems(Items.Watch watch) {
        return term.coordination.items().keys(job).thenCompose(keys -> term.coordination
                .items()
                .read(job, keys, watch));
    }

    /**
     * Revokes the changes of the override that have ended. Then reads the other inputs for the decision about the plan.
     */
    private CompletionStage<Boolean> observe(JobView seen) {
        Optional<CompletionStage<TransactionResult>> ending = endingChanges.end(seen);
        if (ending.isEmpty()) {
            return observeRest(seen);
        }
        return ending.get()
                .thenComposeAsync(
                        result -> {
                            if (result instanceof TransactionResult.Refused) {
                                return observeRest(seen); // the job must not stay unplanned; the next pass tries again
                            }
                            stale = true;
                            if (result instanceof TransactionResult.Done) {
                                reconcile();
                            }
                            return LATER;
                        },
                        term);
    }

    /**
     * Reads the remaining inputs for the decision about the plan. While the plan is closed for a change of the item
     * count or scope, these inputs are all items. Otherwise they are the data that the sharding strategy needs.
     */
    private CompletionStage<Boolean> observeRest(JobView seen) {
        Set<Need> needs = planMaker.needs(seen);
        if (!term.distribution.ready(job, needs.contains(Need.OTHER_ITEMS))) {
            return DONE; // the job is reconciled again after the read of the other jobs
        }
        Versioned<ShardingPlan> plan = seen.plan();
        if (plan != null) {
            term.membership.planned(plan.value().items().keySet());
        }
        if (plan != null && plan.value().closed()) {
            return observeClosed(seen);
        } else if (plan == null || !term.placeable(seen)) {
            return decide(seen, null, Set.of());
        }
        return observeZones(seen, plan.value(), needs);
    }

    /**
     * Reads the items of zones without an eligible instance. The plan contains such an item only while the item has an
     * unfinished fire.
     */
    private CompletionStage<Boolean> observeZones(JobView seen, ShardingPlan plan, Set<Need> needs) {
        List<String> zonesWithoutInstance = plan.scope() == Scope.ONE_PER_ZONE
                ? planMaker.zonesWithoutInstance(seen, plan, cleanup.unfinishedZones())
                : List.of();
        if (zonesWithoutInstance.isEmpty()) {
            return measure(seen, plan, needs, Set.of());
        }
        return term.coordination
                .items()
                .read(job, zonesWithoutInstance, Items.Watch.NOTHING)
                .thenComposeAsync(
                        items -> measure(
                                seen,
                                plan,
                                needs,
                                items.stream()
                                        .filter(ItemView::unfinished)
                                        .map(ItemView::item)
                                        .collect(Collectors.toSet())),
                        term);
    }

    private CompletionStage<Boolean> measure(JobView seen, ShardingPlan plan, Set<Need> needs, Set<String> unfinished) {
        List<String> due = runTimes.due(needs, plan, now());
        if (due.isEmpty()) {
            return decide(seen, null, unfinished);
        }
        return term.coordination
                .items()
                .read(job, due, Items.Watch.NOTHING)
                .thenComposeAsync(
                        items -> {
                            runTimes.take(items, due.size() == plan.keys().size());
                            if (needs.contains(Need.FIRE)) {
                                nextReading.run();
                                nextReading = term.after(nextReading(seen, plan, items.get(0)), this::reconcile);
                            }
                            return decide(seen, null, unfinished);
                        },
                        term);
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
    private CompletionStage<Boolean> observeClosed(JobView seen) {
        return allItems(Items.Watch.RUNNING)
                .thenCompose(items -> triggeredFires().thenApply(fires -> Map.entry(items, fires)))
                .thenComposeAsync(read -> takeClosed(seen, read.getKey(), read.getValue()), term);
    }

    private CompletionStage<Boolean> takeClosed(JobView seen, List<ItemView> items, List<FireView> triggered) {
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
            return LATER;
        }
        return decide(seen, closed, Set.of());
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

    private CompletionStage<Boolean> decide(JobView seen, @Nullable ClosedPlan closed, Set<String> unfinished) {
        CompletableFuture<PlanDecision> decision = planMaker
                .decide(seen, closed == null ? null : closed.ledger(), unfinished, deleted, planWriter.batch())
                .toCompletableFuture();
        if (decision.isDone() && !decision.isCompletedExceptionally()) {
            return act(seen, closed, decision.join());
        }
        Runnable deadline = term.after(
                STRATEGY_PATIENCE,
                () -> report(Map.of(
                        Kind.PLAN_REFUSED,
                        "its sharding strategy has not answered for " + STRATEGY_PATIENCE.toSeconds()
                                + " s; the plan in force stays")));
        return decision.whenComplete((decided, error) -> deadline.run())
                .thenComposeAsync(decided -> act(seen, closed, decided), term);
    }

    private CompletionStage<Boolean> act(JobView seen, @Nullable ClosedPlan closed, PlanDecision decision) {
        Versioned<ShardingPlan> plan = seen.plan();
        if (decision instanceof PlanDecision.Write write) {
            if (write.plan() != null) {
                term.distribution.decided(job, write.plan());
            }
            CompletionStage<TransactionResult> result = closed == null
                    ? planWriter.writeUnread(seen, write)
                    : planWriter.write(plan, write, closed.items());
            return result.thenApply(known -> written(plan, write.plan(), known));
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
        return closed == null ? DONE : LATER;
    }

    /** Handles the result of a write. Returns whether the job must be reconciled again after a pause. */
    private boolean written(
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
            if (next == null || next.closed() || !ShardingPlan.numbered(next.scope())) {
                reconcile();
            }
        } else if (result instanceof TransactionResult.Outdated outdated) {
            log.debug("job '{}': plan not written: {} is outdated", job, outdated.about());
        } else if (result instanceof TransactionResult.Refused refused) {
            report(Map.of(
                    Kind.REFUSED,
                    refused.tooLarge()
                            ? "its plan is larger than one ZooKeeper request may be; raise jute.maxbuffer"
                            : "ZooKeeper refused its plan; check access rights and quotas"));
        }
        return !(result instanceof TransactionResult.Done);
    }
}
