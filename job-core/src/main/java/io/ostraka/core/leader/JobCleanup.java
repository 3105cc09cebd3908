package io.ostraka.core.leader;

import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Cleanup;
import io.ostraka.core.decide.CleanupInput;
import io.ostraka.core.decide.CleanupStep;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up the nodes of one job in passes. In each pass, this class reads nodes, {@link Cleanup} decides the steps,
 * and the {@link PlanWriter} commits them. Only one pass runs at a time. A sweep is a pass over some nodes; it is
 * dropped if another pass is running. An audit is a pass over all nodes; it is postponed in this case. Confined to the
 * leader's executor.
 */
final class JobCleanup {
    private static final Logger log = LoggerFactory.getLogger(JobCleanup.class);

    /** Largest number of fires in one read. An hour of triggers may leave several hundred thousand fires. */
    private static final int FIRES_READ = 1_000;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final String job;
    private final Term term;
    private final PlanWriter writer;
    private final Runnable reconcile;
    private final Runnable readAndReconcile;

    private boolean busy;
    /** Regular pass that waits for the end of the current pass; null if there is none. */
    private @Nullable Runnable waiting;

    private boolean warned;
    /** Version of the plan that the latest {@link CleanupStep.Announce} step has written; -1 if there was none. */
    private int announced = -1;
    /** Latest version of the plan for which all items outside the plan have been cleaned up; -1 if none is known. */
    private int clean = -1;
    /** Zones that the plan does not contain but that have an unfinished fire (claimed, not completed), as last read. */
    private Set<String> unfinishedZones = Set.of();
    /**
     * Earliest time of the next read of each scheduled fire. The key is the name of the node of the fire. The pauses
     * between reads grow.
     */
    private final Map<String, Instant> next = new HashMap<>();

    /** Nodes that a pass reads. */
    private enum Extent {
        /** Items that the plan does not contain, and the fires that wait for them. */
        LEFT,
        /** Fires that have not ended, read at regular intervals. */
        FIRES,
        /** Fires of a removed job that have not ended, read after each reconciliation. */
        REMOVED,
        /** All items and fires. */
        ALL
    }

    /** @param stops operators' requests to stop fires of the job, read before all other nodes */
    private record Pass(
            JobView seen,
            Versioned<ShardingPlan> plan,
            Map<String, ItemView> items,
            Extent extent,
            List<FireStop> stops) {
        boolean whole() {
            return extent == Extent.ALL;
        }

        /** Returns true for passes that are not caused by a change of the plan. */
        boolean regular() {
            return extent == Extent.FIRES || extent == Extent.ALL;
        }
    }

    /**
     * @param reconcile called on the leader's executor when the plan must be decided again
     * @param readAndReconcile called on the leader's executor when the plan in ZooKeeper is no longer the one that was
     *     read
     */
    JobCleanup(String job, Term term, PlanWriter writer, Runnable reconcile, Runnable readAndReconcile) {
        this.job = job;
        this.term = term;
        this.writer = writer;
        this.reconcile = reconcile;
        this.readAndReconcile = readAndReconcile;
    }

    /**
     * Returns the zones that the plan does not contain but that have an interrupted fire. The next plan needs an item
     * for each of these zones, so that an instance of another zone can finish the fire.
     */
    Set<String> unfinishedZones() {
        return unfinishedZones;
    }

    /** Cleans up the items that the plan does not contain, and the triggers of a removed job. */
    void sweep(JobView seen, Versioned<ShardingPlan> plan) {
        boolean left = !ShardingPlan.numbered(plan.value().scope()) && plan.version() != clean;
        if (busy || !(left || plan.value().total() == 0)) {
            return;
        }
        Items items = term.coordination.items();
        Set<String> present = Set.copyOf(plan.value().keys());
        run(
                seen,
                plan,
                !left
                        ? CompletableFuture.completedStage(List.of())
                        : items.keys(job)
                                .thenCompose(keys -> items.read(
                                        job,
                                        keys.stream()
                                                .filter(key -> !present.contains(key))
                                                .toList(),
                                        Items.Watch.NOTHING)),
                left ? Extent.LEFT : Extent.REMOVED);
    }

    /**
     * Cleans up the given items that the plan does not contain. Used while the plan is closed for a change, because all
     * items have then been read already.
     */
    void sweep(JobView seen, Versioned<ShardingPlan> plan, Collection<ItemView> items) {
        List<ItemView> left = Cleanup.leftBehind(plan.value(), items);
        if (!busy && !left.isEmpty()) {
            run(seen, plan, CompletableFuture.completedStage(left), Extent.LEFT);
        }
    }

    /** Cleans up fires with pending calls of once-listeners. If a pass is running, this cleanup starts after it. */
    void sweepOnce(JobView seen, Versioned<ShardingPlan> plan) {
        if (busy && waiting == null) { // a waiting audit also cleans up these fires
            waiting = () -> sweepOnce(seen, plan);
        } else if (!busy) {
            run(seen, plan, CompletableFuture.completedStage(List.of()), Extent.FIRES);
        }
    }

    /**
     * Reads all nodes of the job and cleans up. If a pass is running, the audit starts after it.
     *
     * @param also receives all items that were read, on the leader's executor
     */
    void audit(JobView seen, Versioned<ShardingPlan> plan, Consumer<List<ItemView>> also) {
        if (busy) {
            waiting = () -> audit(seen, plan, also);
            return;
        }
        Items items = term.coordination.items();
        run(
                seen,
                plan,
                items.keys(job)
                        .thenCompose(keys -> items.read(job, keys, Items.Watch.NOTHING))
                        .thenApplyAsync(
                                read -> {
                                    also.accept(read);
                                    return read;
                                },
                                term.executor),
                Extent.ALL);
    }

    private void run(JobView seen, Versioned<ShardingPlan> plan, CompletionStage<List<ItemView>> items, Extent extent) {
        busy = true;
        List<FireStop> stops =
                term.stops.stream().filter(stop -> stop.job().equals(job)).toList();
        Stages.of(() -> items)
                .thenComposeAsync(
                        read -> {
                            Map<String, ItemView> byItem = new TreeMap<>();
                            read.forEach(view -> byItem.put(view.item(), view));
                            return fires(new Pass(seen, plan, byItem, extent, stops));
                        },
                        term.executor)
                .whenComplete((again, error) -> term.executor.execute(() -> {
                    busy = false;
                    Runnable audit = waiting;
                    waiting = null;
                    if (!term.over && error == null && again) {
                        reconcile.run();
                    }
                    if (!term.over && audit != null) {
                        audit.run();
                    }
                }));
    }

    /**
     * Reads the fires that the pass needs, decides the steps and commits them. The stage completes with true if the job
     * must be reconciled again at once.
     */
    private CompletionStage<Boolean> fires(Pass pass) {
        if (term.over) {
            return no();
        }
        boolean more = noteZones(pass);
        Fires fires = term.coordination.fires();
        boolean removed = pass.plan.value().total() == 0;
        if (pass.whole()) {
            return triggers().thenCompose(before -> fires.kept(job)
                    .thenCompose(names -> readAll(names, byFire(before).keySet(), new TreeMap<>()))
                    // the triggers are read again last, because a transaction that ends a fire also deletes its trigger
                    .thenCompose(read ->
                            triggers().thenComposeAsync(after -> decide(pass, read, before, after), term.executor)));
        }
        if (pass.extent == Extent.LEFT && pass.items.isEmpty() && !removed) {
            clean = pass.plan.version();
            return CompletableFuture.completedStage(more);
        }
        return fires.kept(job)
                .thenCompose(names -> names.isEmpty() && pass.items.isEmpty() && !removed
                        ? CompletableFuture.completedStage(false)
                        : triggers()
                                .thenComposeAsync(
                                        triggers -> readSome(pass, names, triggers)
                                                .thenComposeAsync(
                                                        read -> decide(pass, read, triggers, triggers), term.executor),
                                        term.executor))
                .thenApply(again -> again || more);
    }

    private boolean noteZones(Pass pass) {
        if (pass.extent == Extent.FIRES || pass.extent == Extent.REMOVED) {
            return false;
        }
        Set<String> zones = Cleanup.unfinishedZones(pass.plan.value(), pass.items.values());
        boolean more = !unfinishedZones.containsAll(zones);
        unfinishedZones = zones;
        return more;
    }

    private static CompletionStage<Boolean> no() {
        return CompletableFuture.completedStage(false);
    }

    private CompletionStage<Triggers> triggers() {
        return term.coordination.fires().triggers().thenApply(all -> all.of(job));
    }

    private static Map<String, Trigger> byFire(Triggers triggers) {
        Map<String, Trigger> all = new TreeMap<>();
        triggers.readable().forEach(trigger -> all.putIfAbsent(trigger.fire().id(), trigger));
        return all;
    }

    /**
     * Reads the fires page by page and deletes expired ones. An ended fire is kept in memory only while its trigger
     * exists.
     */
    private CompletionStage<Map<String, FireView>> readAll(
            List<String> names, Set<String> waiting, Map<String, FireView> all) {
        if (names.isEmpty() || term.over) {
            return CompletableFuture.completedStage(all);
        }
        int page = Math.min(names.size(), FIRES_READ);
        Fires fires = term.coordination.fires();
        return fires.look(job, names.subList(0, page))
                .thenComposeAsync(
                        read -> {
                            if (!term.over) {
                                Cleanup.expired(read, waiting, now())
                                        .forEach((fire, version) -> writer.deleteFire(fire, version));
                            }
                            read.stream()
                                    .filter(fire -> Cleanup.counts(fire, waiting))
                                    .forEach(fire -> all.put(fire.fire(), fire));
                            return readAll(names.subList(page, names.size()), waiting, all);
                        },
                        term.executor);
    }

    /**
     * Reads the scheduled fires and the fires of triggers. If the pass has no items, a fire is left out until its next
     * read is due.
     */
    private CompletionStage<Map<String, FireView>> readSome(Pass pass, List<String> names, Triggers triggers) {
        Map<String, Trigger> waiting = byFire(triggers);
        Set<String> kept = new HashSet<>(names);
        next.keySet().retainAll(kept);
        List<String> read = names.stream()
                .filter(name -> FireProgress.scheduled(name) || waiting.containsKey(name))
                .filter(name -> !pass.items.isEmpty() || !now().isBefore(next.getOrDefault(name, Instant.MIN)))
                .toList();
        Map<String, FireView> all = new TreeMap<>();
        waiting.keySet().stream()
                .filter(name -> !kept.contains(name))
                .forEach(name -> all.put(name, new FireView(name, null, null)));
        return (read.isEmpty()
                        ? CompletableFuture.completedStage(List.<FireView>of())
                        : term.coordination.fires().look(job, read))
                .thenApply(views -> {
                    views.forEach(view -> all.put(view.fire(), view));
                    return all;
                });
    }

    /**
     * Reads the items and the callers that the fires name, decides the steps and commits them. The caller of a fire is
     * the instance that calls the fire's once-listeners.
     */
    private CompletionStage<Boolean> decide(Pass pass, Map<String, FireView> fires, Triggers before, Triggers after) {
        if (term.over) {
            return no();
        }
        // fires of triggers that this instance cannot read are left out: another instance may be able to read these
        // triggers, so the fires must not end as if they had no trigger
        fires.values().removeIf(fire -> before.hide(fire) || after.hide(fire));
        CleanupInput.Nodes nodes =
                CleanupInput.Nodes.of(pass.items, fires, before.readable(), after.readable(), pass.whole());
        if (after.unreadable().isEmpty()) { // the fire of an unreadable trigger may still continue
            term.delete(Cleanup.endedStops(pass.stops, pass.plan.value(), nodes, now()));
        }
        return gone(nodes.callers())
                .thenCombine(
                        pass.whole()
                                ? items(Set.of())
                                : items(quiet(pass, nodes.fires().values())),
                        (gone, items) -> {
                            items.forEach(view -> pass.items.putIfAbsent(view.item(), view));
                            return gone;
                        })
                .thenComposeAsync(
                        gone -> term.over
                                ? no()
                                : commit(
                                        pass,
                                        new CleanupInput(
                                                pass.plan.value(), nodes, wanted(pass), term.instances, gone, now())),
                        term.executor);
    }

    /**
     * Returns the items that still have to end their part of a scheduled fire, if that fire has made no progress
     * recently. Also postpones the next read of these fires.
     */
    private Set<String> quiet(Pass pass, Collection<FireView> fires) {
        Set<String> items = new TreeSet<>();
        for (FireView fire : onceListeners(pass.seen) ? fires : List.<FireView>of()) {
            Cleanup.quiet(fire, now()).ifPresent(quiet -> {
                next.put(fire.fire(), now().plus(quiet.compareTo(LONGEST_PAUSE) < 0 ? quiet : LONGEST_PAUSE));
                items.addAll(Cleanup.remaining(fire));
            });
        }
        return items;
    }

    private CompletionStage<List<ItemView>> items(Set<String> items) {
        return items.isEmpty()
                ? CompletableFuture.completedStage(List.of())
                : term.coordination.items().read(job, items, Items.Watch.NOTHING);
    }

    /**
     * Returns the callers that are not registered. These callers cannot come back, because the registrations are read
     * after the fires that name the callers, and the id of an instance is never used again.
     */
    private CompletionStage<Set<String>> gone(Set<String> callers) {
        CompletionStage<Set<String>> gone = CompletableFuture.completedStage(new TreeSet<>());
        for (String caller : callers) {
            gone = gone.thenCombine(term.coordination.membership().registered(caller), (all, there) -> {
                if (!there) {
                    all.add(caller);
                }
                return all;
            });
        }
        return gone;
    }

    private static boolean onceListeners(JobView seen) {
        return seen.definition() != null && seen.definition().value().onceListeners();
    }

    private CleanupInput.Wanted wanted(Pass pass) {
        ShardingPlan plan = pass.plan.value();
        boolean listeners = onceListeners(pass.seen) && term.hasOnceListener(job);
        return CleanupInput.Wanted.of(pass.seen, plan, listeners, term.times(pass.seen, plan));
    }

    private Instant now() {
        return term.coordination.membership().serverTime();
    }

    /**
     * Commits the steps one after the other. The stage completes with true if the job must be reconciled again at once.
     */
    private CompletionStage<Boolean> commit(Pass pass, CleanupInput observed) {
        List<CleanupStep> steps = Cleanup.of(observed, writer.batch());
        if (steps.isEmpty()
                && pass.extent == Extent.LEFT
                && Cleanup.leftBehind(observed.plan(), pass.items.values()).stream()
                        .allMatch(ItemView::idle)) {
            clean = pass.plan.version();
        }
        List<Boolean> settled = new ArrayList<>();
        CompletionStage<?> done = CompletableFuture.completedStage(null);
        for (CleanupStep step : steps) {
            if (step instanceof CleanupStep.Announce && !pass.regular() && pass.plan.version() == announced) {
                // the previous announcement has caused this pass, so another announcement would cause a pass again
                continue;
            }
            done = done.thenComposeAsync(
                    before -> term.over
                            ? CompletableFuture.completedStage(null)
                            : commit(pass, observed, step)
                                    .thenAccept(result -> settled.add(committed(step, pass.plan.version(), result))),
                    term.executor);
        }
        return done.thenApply(last -> settled.contains(true) && !pass.whole());
    }

    /**
     * Returns whether a step changed something that may require further steps.
     *
     * @param version version of the plan before the step
     */
    private boolean committed(CleanupStep step, int version, TransactionResult result) {
        if (!(result instanceof TransactionResult.Done)) {
            next.clear();
            if (result instanceof TransactionResult.Outdated outdated
                    && outdated.about() == TransactionResult.About.PLAN) {
                readAndReconcile.run();
            }
            return false;
        }
        if (step instanceof CleanupStep.Announce) {
            readAndReconcile.run();
        }
        if (step instanceof CleanupStep.Announce) {
            announced = Versioned.next(version);
        }
        if (step instanceof CleanupStep.Settle settle && settle.fire() != null) {
            next.remove(settle.fire().name());
        }
        return step instanceof CleanupStep.Settle || step instanceof CleanupStep.RemoveItem;
    }

    private CompletionStage<TransactionResult> commit(Pass pass, CleanupInput observed, CleanupStep step) {
        if (step instanceof CleanupStep.DeleteFire delete) {
            FireView fire = delete.fire();
            UnreadableNode damage = Objects.requireNonNull(fire.damage(), "damage");
            log.warn("job '{}': {}; its fire has ended, so the node is deleted", job, damage.text());
            return writer.deleteFire(fire.fire(), damage.version());
        } else if (step instanceof CleanupStep.RemoveItem remove) {
            return writer.remove(pass.plan, remove);
        } else if (step instanceof CleanupStep.Handovers handovers) {
            Map<String, HandoverWrite> writes = PlanWriter.writes(handovers.missing(), pass.items);
            handovers.stale().forEach(item -> writes.put(item, new HandoverWrite.Delete()));
            return writer.commit(pass.plan, null, List.of(), writes, null);
        } else if (step instanceof CleanupStep.Settle settle) {
            return commit(pass, observed, settle);
        }
        return writer.commit(pass.plan, pass.plan.value(), List.of(), Map.of(), null);
    }

    private CompletionStage<TransactionResult> commit(Pass pass, CleanupInput observed, CleanupStep.Settle settle) {
        log(settle);
        List<RecordWrite> records = new ArrayList<>();
        settle.records().forEach((item, to) -> {
            ItemView view = pass.items.get(item);
            records.add(new RecordWrite(item, view == null ? null : view.record(), to));
        });
        CleanupStep.FireEnd end = settle.fire();
        FireWrite fire = end == null
                ? null
                : new FireWrite(
                        end.name(),
                        from(observed.nodes().fires().get(end.name()), end.to()),
                        end.to(),
                        end.endsTrigger());
        return writer.commit(pass.plan, null, records, Map.of(), fire).thenApply(result -> {
            CleanupStep.Skip skip = settle.skip();
            if (result instanceof TransactionResult.Done && skip != null) {
                term.events.skipped(job, skip.items(), pass.plan.value().incarnation(), skip.trigger(), skip.reason());
            }
            return result;
        });
    }

    private static @Nullable Versioned<FireProgress> from(@Nullable FireView fire, FireProgress to) {
        return fire == null || fire.damage() == null
                ? (fire == null ? null : fire.progress())
                : fire.damage().replacedBy(to);
    }

    private void log(CleanupStep.Settle settle) {
        String fire = settle.fire() == null ? "" : settle.fire().name();
        switch (settle.cause()) {
            case REPAIRED ->
                log.warn(
                        "job '{}': the progress of fire {} or the record of an item was damaged or deleted; the progress is"
                                + " replaced by {}",
                        job,
                        fire,
                        settle.fire());
            case NO_ONCE_LISTENER -> {
                if (!warned) {
                    warned = true;
                    log.warn(
                            "job '{}' was registered with a OnceListener that no registered instance has; its fires"
                                    + " continue without; start an instance with the listener, or register the job without it",
                            job);
                }
            }
            case INTERRUPTED, SKIPPED, REMOVED -> log.debug("job '{}': {}", job, settle);
        }
    }
}
