package io.ostraka.core.leader;

import io.ostraka.api.Scope;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Cleanup;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the nodes of one job, has {@link Cleanup} decide what is to be cleaned up, and commits that. One pass at a time; a pass
 * that is asked for during another one is left to the next look. Confined to the leader's lane.
 */
final class JobCleanup {
    private static final Logger log = LoggerFactory.getLogger(JobCleanup.class);

    /** Number of fires that are read at once: an hour of triggers may leave some hundred thousand. */
    private static final int FIRES_READ = 1_000;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final String job;
    private final Term term;
    private final PlanWriter writer;
    private final Runnable look;
    private final Runnable lookAnew;

    private boolean busy;
    /** The audit that was asked for during another pass; null if none was. */
    private @Nullable Runnable waiting;

    private boolean warned;
    /** Version of the plan beside which no item is left that the plan does not have; -1 while unknown. */
    private int clean = -1;
    /** Zones that the plan does not have and that left a claimed fire unfinished, as read last. */
    private Set<String> unfinishedZones = Set.of();
    /** Times of the next look at the items of scheduled fires that have not ended: the pauses grow. */
    private final Map<String, Instant> next = new HashMap<>();

    /** Which nodes a pass reads. */
    private enum Extent {
        /** Items that the plan does not have, and the fires that count on them. */
        LEFT,
        /** Fires that have not ended. */
        FIRES,
        /** All items and fires. */
        ALL
    }

    private record Pass(JobView seen, Versioned<ShardingPlan> plan, Map<String, ItemView> items, Extent extent) {
        boolean whole() {
            return extent == Extent.ALL;
        }
    }

    /**
     * @param look called, on the leader's lane, when there is more to decide about the plan
     * @param lookAnew called, on the leader's lane, when the plan is no longer the one that was read
     */
    JobCleanup(String job, Term term, PlanWriter writer, Runnable look, Runnable lookAnew) {
        this.job = job;
        this.term = term;
        this.writer = writer;
        this.look = look;
        this.lookAnew = lookAnew;
    }

    /** Returns zones that the plan may lack, though an instance of another zone has to finish their fires. */
    Set<String> unfinishedZones() {
        return unfinishedZones;
    }

    /** Cleans up after items that the plan no longer has, and the triggers of a removed job. */
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
                left ? Extent.LEFT : Extent.FIRES);
    }

    /** The same, with the items of a closed plan as they were read. */
    void sweep(JobView seen, Versioned<ShardingPlan> plan, Collection<ItemView> items) {
        List<ItemView> left = left(plan.value(), items);
        if (!busy && !left.isEmpty()) {
            run(seen, plan, CompletableFuture.completedStage(left), Extent.LEFT);
        }
    }

    /** Cleans up fires whose once-listeners are called. */
    void sweepOnce(JobView seen, Versioned<ShardingPlan> plan) {
        if (!busy) {
            run(seen, plan, CompletableFuture.completedStage(List.of()), Extent.FIRES);
        }
    }

    /**
     * Reads all nodes of the job and cleans up.
     *
     * @param also receives the items, on the leader's lane
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
                                term.lane),
                Extent.ALL);
    }

    private static List<ItemView> left(ShardingPlan plan, Collection<ItemView> items) {
        Set<String> present = Set.copyOf(plan.keys());
        return items.stream()
                .filter(view -> !present.contains(view.item()))
                .filter(view -> !ShardingPlan.numbered(plan.scope()) || ScopedItems.instanceKey(view.item()))
                .toList();
    }

    private void run(JobView seen, Versioned<ShardingPlan> plan, CompletionStage<List<ItemView>> items, Extent extent) {
        busy = true;
        Stages.of(() -> items)
                .thenComposeAsync(
                        read -> {
                            Map<String, ItemView> byItem = new TreeMap<>();
                            read.forEach(view -> byItem.put(view.item(), view));
                            return fires(new Pass(seen, plan, byItem, extent));
                        },
                        term.lane)
                .whenComplete((again, error) -> term.lane.execute(() -> {
                    busy = false;
                    Runnable audit = waiting;
                    waiting = null;
                    if (!term.over && error == null && again) {
                        look.run();
                    }
                    if (!term.over && audit != null) {
                        audit.run();
                    }
                }));
    }

    /** Reads the fires that the pass is about: all, or those that still count on items. */
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
                    // triggers last: their nodes are deleted in the transactions that end their fires
                    .thenCompose(read ->
                            triggers().thenComposeAsync(after -> decide(pass, read, before, after), term.lane)));
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
                                                        read -> decide(pass, read, triggers, triggers), term.lane),
                                        term.lane))
                .thenApply(again -> again || more);
    }

    private boolean noteZones(Pass pass) {
        if (pass.extent == Extent.FIRES) {
            return false;
        }
        Set<String> zones = pass.plan.value().scope() != Scope.ONE_PER_ZONE
                ? Set.of()
                : left(pass.plan.value(), pass.items.values()).stream()
                        .filter(view -> !ScopedItems.instanceKey(view.item()) && Cleanup.unfinished(view))
                        .map(ItemView::item)
                        .collect(Collectors.toSet());
        boolean more = !unfinishedZones.containsAll(zones);
        unfinishedZones = zones;
        return more;
    }

    private static CompletionStage<Boolean> no() {
        return CompletableFuture.completedStage(false);
    }

    private CompletionStage<List<Trigger>> triggers() {
        return term.coordination.fires().triggers().thenApply(all -> all.stream()
                .filter(trigger -> trigger.request().job().equals(job))
                .toList());
    }

    private static Map<String, Trigger> byFire(List<Trigger> triggers) {
        Map<String, Trigger> all = new TreeMap<>();
        triggers.forEach(trigger -> all.putIfAbsent(trigger.fire().id(), trigger));
        return all;
    }

    /** Reads one page of fires after the other; fires that ended and that no trigger waits for are not kept in memory. */
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
                            for (FireView fire : read) {
                                Versioned<FireProgress> progress = fire.progress();
                                if (progress == null || !progress.value().done() || waiting.contains(fire.fire())) {
                                    all.put(fire.fire(), fire);
                                } else if (!term.over && Cleanup.expired(progress, now())) {
                                    fires.delete(job, fire.fire(), progress.version());
                                }
                            }
                            return readAll(names.subList(page, names.size()), waiting, all);
                        },
                        term.lane);
    }

    /** Reads the scheduled fires and those of triggers; where only once-listeners are looked at, fires that are due for a look. */
    private CompletionStage<Map<String, FireView>> readSome(Pass pass, List<String> names, List<Trigger> triggers) {
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

    /** Reads what the fires ask for besides, and decides. */
    private CompletionStage<Boolean> decide(
            Pass pass, Map<String, FireView> fires, List<Trigger> before, List<Trigger> after) {
        if (term.over) {
            return no();
        }
        Set<String> known = byFire(before).keySet();
        Map<String, Trigger> waiting = byFire(after);
        fires.keySet().removeIf(fire -> waiting.containsKey(fire) && !known.contains(fire)); // the next pass has it
        known.stream()
                .filter(waiting::containsKey)
                .forEach(fire -> fires.computeIfAbsent(fire, name -> new FireView(name, null, null)));
        List<Trigger> triggers = after.stream()
                .filter(trigger -> known.contains(trigger.fire().id()))
                .toList();
        return gone(fires.values())
                .thenCombine(pass.whole() ? items(Set.of()) : items(quiet(pass, fires)), (gone, items) -> {
                    items.forEach(view -> pass.items.putIfAbsent(view.item(), view));
                    return gone;
                })
                .thenComposeAsync(
                        gone -> term.over
                                ? no()
                                : commit(
                                        pass,
                                        new Cleanup.Observed(
                                                pass.plan.value(),
                                                new Cleanup.Nodes(pass.items, fires, triggers, pass.whole()),
                                                wanted(pass),
                                                term.instances,
                                                gone,
                                                now())),
                        term.lane);
    }

    /** Returns the items of scheduled fires that nothing was heard of for a while, and puts off the next look at these. */
    private Set<String> quiet(Pass pass, Map<String, FireView> fires) {
        Set<String> items = new TreeSet<>();
        for (FireView fire : fires.values()) {
            Versioned<FireProgress> progress = fire.progress();
            if (progress == null || !FireProgress.scheduled(fire.fire()) || !onceListeners(pass.seen)) {
                continue;
            }
            Duration quiet = Duration.between(progress.modified(), now());
            if (!progress.value().left().isEmpty() && quiet.compareTo(Cleanup.QUIET) >= 0) {
                next.put(fire.fire(), now().plus(quiet.compareTo(LONGEST_PAUSE) < 0 ? quiet : LONGEST_PAUSE));
                items.addAll(progress.value().left());
            }
        }
        return items;
    }

    private CompletionStage<List<ItemView>> items(Set<String> items) {
        return items.isEmpty()
                ? CompletableFuture.completedStage(List.of())
                : term.coordination.items().read(job, items, Items.Watch.NOTHING);
    }

    /** A caller is looked for after its fire was read: a caller that is not registered then never will be. */
    private CompletionStage<Set<String>> gone(Collection<FireView> fires) {
        Set<String> callers = new TreeSet<>();
        for (FireView fire : fires) {
            Once once = fire.progress() == null ? null : fire.progress().value().once();
            if (once != null && once.calling() && once.caller() != null) {
                callers.add(once.caller());
            }
        }
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

    private Cleanup.Wanted wanted(Pass pass) {
        JobView seen = pass.seen;
        ShardingPlan plan = pass.plan.value();
        Versioned<Definition> definition = seen.definition();
        boolean paused = definition != null
                && plan.configMzxid() == definition.mzxid()
                && seen.overrideOrNone().pauses(definition.value().configuration());
        return new Cleanup.Wanted(
                definition != null
                        && plan.overrideMzxid()
                                == (seen.override() == null
                                        ? 0
                                        : seen.override().mzxid()),
                paused,
                seen.overrideOrNone().disabledItems(),
                onceListeners(seen) && term.hasOnceListener(job),
                term.times(seen, plan));
    }

    private Instant now() {
        return term.coordination.membership().serverTime();
    }

    /** Commits the steps one after the other; returns whether to look again at once. */
    private CompletionStage<Boolean> commit(Pass pass, Cleanup.Observed observed) {
        List<Cleanup.Step> steps = Cleanup.of(observed, writer.batch());
        boolean idle = left(observed.plan(), pass.items.values()).stream()
                .allMatch(view -> view.running() == 0 && !Cleanup.unfinished(view));
        if (steps.isEmpty() && idle && pass.extent == Extent.LEFT) {
            clean = pass.plan.version();
        }
        List<Boolean> settled = new ArrayList<>();
        CompletionStage<?> done = CompletableFuture.completedStage(null);
        for (Cleanup.Step step : steps) {
            done = done.thenComposeAsync(
                    before -> term.over
                            ? CompletableFuture.completedStage(null)
                            : commit(pass, observed, step).thenAccept(verdict -> settled.add(committed(step, verdict))),
                    term.lane);
        }
        return done.thenApply(last -> settled.contains(true) && !pass.whole());
    }

    /** Returns whether the step has brought the job further, so that there may be more to do. */
    private boolean committed(Cleanup.Step step, TransactionResult verdict) {
        if (!(verdict instanceof TransactionResult.Done)) {
            next.clear();
            if (verdict instanceof TransactionResult.Outdated outdated
                    && outdated.about() == TransactionResult.About.PLAN) {
                lookAnew.run();
            }
            return false;
        }
        if (step instanceof Cleanup.Announce) {
            lookAnew.run();
        }
        if (step instanceof Cleanup.Settle settle && settle.fire() != null) {
            next.remove(settle.fire().name());
        }
        return step instanceof Cleanup.Settle || step instanceof Cleanup.RemoveItem;
    }

    private CompletionStage<TransactionResult> commit(Pass pass, Cleanup.Observed observed, Cleanup.Step step) {
        if (step instanceof Cleanup.DeleteFire delete) {
            FireView fire = delete.fire();
            UnreadableNode damage = Objects.requireNonNull(fire.damage(), "damage");
            log.warn("job '{}': {}; its fire has ended, the node is deleted", job, damage.text());
            return term.coordination
                    .fires()
                    .delete(job, fire.fire(), damage.version())
                    .thenApplyAsync(
                            outcome -> outcome instanceof Outcome.Committed committed
                                    ? new TransactionResult.Done(committed)
                                    : new TransactionResult.Unknown(),
                            term.lane);
        } else if (step instanceof Cleanup.RemoveItem remove) {
            return writer.remove(pass.plan, remove);
        } else if (step instanceof Cleanup.Handovers handovers) {
            Map<String, HandoverWrite> writes = PlanWriter.writes(handovers.missing(), pass.items);
            handovers.stale().forEach(item -> writes.put(item, new HandoverWrite.Delete()));
            return writer.commit(pass.plan, null, List.of(), writes, null);
        } else if (step instanceof Cleanup.Settle settle) {
            return commit(pass, observed, settle);
        }
        return writer.commit(pass.plan, pass.plan.value(), List.of(), Map.of(), null);
    }

    private CompletionStage<TransactionResult> commit(Pass pass, Cleanup.Observed observed, Cleanup.Settle settle) {
        say(settle);
        List<RecordWrite> records = new ArrayList<>();
        settle.records().forEach((item, to) -> {
            ItemView view = pass.items.get(item);
            records.add(new RecordWrite(item, view == null ? null : view.record(), to));
        });
        Cleanup.FireEnd end = settle.fire();
        FireWrite fire = end == null
                ? null
                : new FireWrite(
                        end.name(),
                        from(observed.nodes().fires().get(end.name()), end.to()),
                        end.to(),
                        end.endsTrigger());
        return writer.commit(pass.plan, null, records, Map.of(), fire).thenApply(verdict -> {
            Cleanup.Skip skip = settle.skip();
            if (verdict instanceof TransactionResult.Done && skip != null) {
                term.events.skipped(job, skip.items(), pass.plan.value().incarnation(), skip.trigger(), skip.reason());
            }
            return verdict;
        });
    }

    private static @Nullable Versioned<FireProgress> from(@Nullable FireView fire, FireProgress to) {
        return fire == null || fire.damage() == null
                ? (fire == null ? null : fire.progress())
                : fire.damage().replacedBy(to);
    }

    private void say(Cleanup.Settle settle) {
        String fire = settle.fire() == null ? "" : settle.fire().name();
        switch (settle.cause()) {
            case REPAIRED ->
                log.warn("job '{}': the progress of fire {} was incomplete and becomes {}", job, fire, settle.fire());
            case NO_ONCE_LISTENER -> {
                if (!warned) {
                    warned = true;
                    log.warn(
                            "job '{}' was registered with a OnceListener, and no registered instance has it: its fires"
                                    + " continue without; start an instance that has it, or register the job without",
                            job);
                }
            }
            case INTERRUPTED, LEFT_OUT, REMOVED -> log.debug("job '{}': {}", job, settle);
        }
    }
}
