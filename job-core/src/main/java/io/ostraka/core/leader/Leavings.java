package io.ostraka.core.leader;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what items have left behind that the plan has no more, since their instance or their zone takes no part: so that
 * every fire that counts on them ends too. Confined to the leader's lane.
 *
 * <p>Each of its writes checks the plan, under which nobody begins anything for such an item; so what is found left is all
 * there is. First a run that its instance has left is recorded as interrupted, by its record's version, which fences
 * whatever still runs of it; then the item is taken off the fires that count on it; then, of an instance that is gone, the
 * record is deleted, by version. An id that is gone never comes back, so no record ever stands where another was: that of
 * an instance that lives, or of a zone, stays. Before a record is gone it tells again what is to be done, to every leader.
 */
final class Leavings {
    private static final Logger log = LoggerFactory.getLogger(Leavings.class);
    private static final String GONE = "its instance is gone in mid-run, or takes no part any more";

    private final String job;
    private final Term term;
    private final Runnable look;

    /** Version of the plan beside which nothing is left; -1 when not known. */
    private int clean = -1;

    private boolean busy;
    /** Zones that the plan hasn't and that have left a claimed fire unfinished, as read last. */
    private Set<String> unfinished = Set.of();
    /** What fires by the plan; null if there is no configuration to go by. */
    private @Nullable FireTimes times;

    /**
     * @param look called, on the leader's lane, when there is more to decide about the plan
     */
    Leavings(String job, Term term, Runnable look) {
        this.job = job;
        this.term = term;
        this.look = look;
    }

    /** Zones that the plan may lack, though an instance elsewhere has to run what they left. */
    Set<String> unfinishedZones() {
        return unfinished;
    }

    /** Looks for what is left, unless it is known that nothing is. */
    void sweep(JobView seen, Versioned<ShardingPlan> plan) {
        if (busy
                || plan.version() == clean
                || ShardingPlan.numbered(plan.value().scope())) {
            return;
        }
        Set<String> present = Set.copyOf(plan.value().keys());
        times = term.times(seen, plan.value());
        run(plan, term.coordination.items().keys(job).thenCompose(keys -> term.coordination
                .items()
                .read(job, keys.stream().filter(key -> !present.contains(key)).toList(), Items.Watch.NOTHING)));
    }

    /** Looks at what was read of the job's items. */
    void take(JobView seen, Versioned<ShardingPlan> plan, Collection<ItemView> items) {
        Set<String> present = Set.copyOf(plan.value().keys());
        List<ItemView> left = items.stream()
                .filter(view -> !present.contains(view.item()))
                .filter(view -> !ShardingPlan.numbered(plan.value().scope()) || ScopedItems.instanceKey(view.item()))
                .toList();
        if (!busy && !left.isEmpty()) {
            times = term.times(seen, plan.value());
            run(plan, CompletableFuture.completedStage(left));
        }
    }

    private void run(Versioned<ShardingPlan> plan, CompletionStage<List<ItemView>> left) {
        busy = true;
        left.thenComposeAsync(views -> term.over ? no() : settle(plan, views), term.lane)
                .whenComplete((again, error) -> term.lane.execute(() -> {
                    busy = false;
                    if (!term.over && error == null && again) {
                        look.run();
                    }
                }));
    }

    private static CompletionStage<Boolean> no() {
        return CompletableFuture.completedStage(false);
    }

    /** Takes the next step there is; tells whether to look again at once. */
    private CompletionStage<Boolean> settle(Versioned<ShardingPlan> plan, List<ItemView> left) {
        Set<String> zones = plan.value().scope() == Scope.ONE_PER_ZONE
                ? left.stream()
                        .filter(view -> !ScopedItems.instanceKey(view.item()) && unfinished(view))
                        .map(ItemView::item)
                        .collect(Collectors.toSet())
                : Set.of();
        boolean more = !unfinished.containsAll(zones);
        unfinished = zones;
        List<ItemView> interrupted = left.stream()
                .filter(view -> ScopedItems.instanceKey(view.item()) && view.interrupted())
                .toList();
        if (!interrupted.isEmpty()) {
            return term.coordination
                    .fires()
                    .triggers()
                    .thenComposeAsync(
                            triggers -> {
                                Set<String> waiting = triggers.stream()
                                        .map(trigger -> trigger.fire().id())
                                        .collect(Collectors.toSet());
                                return each(interrupted, view -> interrupt(plan, view, waiting));
                            },
                            term.lane);
        }
        List<ItemView> idle = left.stream()
                .filter(view -> view.running() == 0 && !unfinished(view))
                .toList();
        return takeOff(plan, idle)
                .thenComposeAsync(
                        free -> {
                            if (term.over || !free) {
                                return CompletableFuture.completedStage(more);
                            }
                            return each(removable(plan.value(), idle), view -> remove(plan, view))
                                    .thenApplyAsync(
                                            removed -> {
                                                if (removed && idle.size() == left.size()) {
                                                    clean = plan.version();
                                                }
                                                return more;
                                            },
                                            term.lane);
                        },
                        term.lane);
    }

    private static boolean unfinished(ItemView view) {
        return view.record() != null && view.record().value().unfinished();
    }

    /** While a plan is closed the records tell how far its change is. */
    private List<ItemView> removable(ShardingPlan plan, List<ItemView> idle) {
        Set<String> living = term.living();
        return plan.closed()
                ? List.of()
                : idle.stream()
                        .filter(view -> ScopedItems.instanceKey(view.item()) && !living.contains(view.item()))
                        .toList();
    }

    /** One after the other; tells whether all was done. */
    private <T> CompletionStage<Boolean> each(Collection<T> all, Function<T, CompletionStage<Boolean>> step) {
        CompletionStage<Boolean> done = CompletableFuture.completedStage(true);
        for (T one : all) {
            done = done.thenComposeAsync(
                    before -> term.over ? no() : step.apply(one).thenApply(now -> now && before), term.lane);
        }
        return done;
    }

    private CompletionStage<Boolean> interrupt(Versioned<ShardingPlan> plan, ItemView view, Set<String> waiting) {
        Versioned<ItemRecord> record = view.record();
        if (record == null) {
            return no();
        }
        Run run = record.value().requireRun();
        String fire = FireProgress.nodeOf(run.fire(), record.value().incarnation());
        return term.coordination
                .fires()
                .progress(job, fire)
                .thenComposeAsync(
                        progress -> {
                            ItemRecord to = record.value().completed(now(), ItemOutcome.INTERRUPTED, GONE);
                            FireWrite write = progress.map(from -> write(
                                            fire,
                                            from,
                                            Map.of(view.item(), ItemOutcome.INTERRUPTED),
                                            waiting.contains(fire)))
                                    .orElse(null);
                            log.debug("job '{}' item {} is recorded as interrupted: {}", job, view.item(), GONE);
                            return commit(plan, List.of(new RecordWrite(view.item(), record, to)), write);
                        },
                        term.lane);
    }

    private Instant now() {
        return term.coordination.membership().serverTime();
    }

    private static @Nullable FireWrite write(
            String fire, Versioned<FireProgress> from, Map<String, ItemOutcome> ended, boolean waited) {
        FireProgress to = from.value().with(ended);
        return to.equals(from.value()) ? null : new FireWrite(fire, from, to, to.done() && waited);
    }

    /** Takes idle items off the fires that count on them; tells whether none does any more. */
    private CompletionStage<Boolean> takeOff(Versioned<ShardingPlan> plan, List<ItemView> idle) {
        if (idle.isEmpty()) {
            return CompletableFuture.completedStage(true);
        }
        return fires(plan.value(), idle)
                .thenComposeAsync(fires -> each(fires.entrySet(), fire -> takeOff(plan, fire, idle)), term.lane);
    }

    /** By name, with the trigger's fire: those whose triggers wait, and the scheduled ones of which a record that is to go would have told. */
    private CompletionStage<Map<String, Optional<Fire>>> fires(ShardingPlan plan, List<ItemView> idle) {
        boolean scheduled = !removable(plan, idle).isEmpty();
        CompletionStage<List<String>> kept =
                scheduled ? term.coordination.fires().kept(job) : CompletableFuture.completedStage(List.of());
        return kept.thenCombine(term.coordination.fires().triggers(), (names, triggers) -> {
            Map<String, Optional<Fire>> fires = new TreeMap<>();
            names.stream().filter(FireProgress::scheduled).forEach(name -> fires.put(name, Optional.empty()));
            triggers.stream()
                    .filter(trigger -> trigger.request().job().equals(job))
                    .map(Trigger::fire)
                    .forEach(fire -> fires.put(fire.id(), Optional.of(fire)));
            return fires;
        });
    }

    private CompletionStage<Boolean> takeOff(
            Versioned<ShardingPlan> plan, Map.Entry<String, Optional<Fire>> fire, List<ItemView> idle) {
        return term.coordination
                .fires()
                .progress(job, fire.getKey())
                .thenComposeAsync(
                        progress -> {
                            Set<String> left = new TreeSet<>(
                                    progress.map(found -> found.value().left()).orElse(Set.of()));
                            left.retainAll(
                                    idle.stream().map(ItemView::item).collect(Collectors.toCollection(HashSet::new)));
                            if (fire.getValue()
                                    .isEmpty()) { // of a record that stays it is told together with its cursor, as of
                                // others
                                Set<String> going = removable(plan.value(), idle).stream()
                                        .map(ItemView::item)
                                        .collect(Collectors.toSet());
                                left.retainAll(going);
                            }
                            if (left.isEmpty() || progress.isEmpty()) {
                                return CompletableFuture.completedStage(true);
                            }
                            Map<String, ItemOutcome> skipped = new TreeMap<>();
                            left.forEach(item -> skipped.put(item, ItemOutcome.SKIPPED));
                            log.debug("job '{}': items {} take no part any more in fire {}", job, left, fire.getKey());
                            FireWrite write = write(
                                    fire.getKey(),
                                    progress.get(),
                                    skipped,
                                    fire.getValue().isPresent());
                            return commit(plan, List.of(), write).thenApply(done -> {
                                if (done) {
                                    // of a scheduled fire it is published with the record's removal
                                    fire.getValue()
                                            .ifPresent(trigger -> term.events.skipped(
                                                    job,
                                                    skipped.keySet(),
                                                    plan.value().incarnation(),
                                                    trigger,
                                                    SkipReason.NO_INSTANCE));
                                }
                                return done;
                            });
                        },
                        term.lane);
    }

    private CompletionStage<Boolean> commit(
            Versioned<ShardingPlan> plan, List<RecordWrite> records, @Nullable FireWrite fire) {
        return done(term.coordination
                .items()
                .commit(new PlanTransaction(
                        job, term.leadership, plan, null, new ArrayList<>(records), Map.of(), Set.of(), fire)));
    }

    private CompletionStage<Boolean> remove(Versioned<ShardingPlan> plan, ItemView view) {
        if (view.damage() != null && view.damage().newer()) {
            return no();
        }
        return done(term.coordination.items().remove(job, term.leadership, plan.version(), view))
                .thenApply(removed -> {
                    if (removed && times != null && view.record() != null) {
                        ItemRecord record = view.record().value();
                        times.of(record)
                                .unrun(record.cursor(), now(), SkipReason.NO_INSTANCE)
                                .ifPresent(unrun -> term.events.skipped(
                                        job, view.item(), record, unrun, record.leftOut(unrun.to(), List.of(unrun))));
                    }
                    return removed;
                });
    }

    private CompletionStage<Boolean> done(CompletionStage<TransactionResult> verdict) {
        return verdict.thenApplyAsync(
                known -> {
                    if (known instanceof TransactionResult.Outdated outdated
                            && outdated.about() == TransactionResult.About.LEADERSHIP) {
                        term.lostPlace();
                    }
                    return known instanceof TransactionResult.Done;
                },
                term.lane);
    }
}
