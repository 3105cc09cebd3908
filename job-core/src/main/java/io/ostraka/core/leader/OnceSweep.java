package io.ostraka.core.leader;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Unrun;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings fires that once-listeners are told of to their end where no instance does so by itself: it takes items off that will
 * not run the fire, has the living look for fires whose caller is gone, and lets a fire go on that nobody can tell of.
 * Confined to the leader's lane.
 *
 * <p>An item that has not decided the fire and is not to is taken off together with a write of its record, which then has
 * decided it: so a fire that has ended can't be due again. Of the others the record says that it has.
 */
final class OnceSweep {
    private static final Logger log = LoggerFactory.getLogger(OnceSweep.class);
    /** How long a fire of which nothing has been heard is left alone, at first. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /** How many records are written together. */
    private static final int MOST_RECORDS = 400;

    private static final CompletionStage<Boolean> NO = CompletableFuture.completedStage(false);

    private final String job;
    private final Term term;
    private final Runnable outdated;
    /** When fires whose items are under way are to be looked at again: ever more seldom. */
    private final Map<String, Instant> next = new HashMap<>();

    /** How many records go into one transaction: halved when one is too large, doubled when one is taken. */
    private int mostRecords = MOST_RECORDS;

    private boolean sweeping;
    private boolean told;

    OnceSweep(String job, Term term, Runnable outdated) {
        this.job = job;
        this.term = term;
        this.outdated = outdated;
    }

    /** Looks at all fires that once-listeners are told of. */
    void sweep(JobView seen) {
        Versioned<ShardingPlan> plan = seen.plan();
        if (sweeping || plan == null || seen.definition() == null || !current(seen, plan.value())) {
            return;
        }
        sweeping = true;
        Stages.of(() -> term.coordination.fires().kept(job))
                .thenCompose(kept -> kept.isEmpty()
                        ? CompletableFuture.completedStage(Map.<String, Boolean>of())
                        : term.coordination.fires().triggers().thenApply(triggers -> toLookAt(kept, triggers)))
                .thenComposeAsync(fires -> look(seen, plan, fires), term.lane)
                .whenComplete((ok, error) -> term.lane.execute(() -> sweeping = false));
    }

    /** Looks at each; what the living are to look for is told to them once for all fires. */
    private CompletionStage<Void> look(JobView seen, Versioned<ShardingPlan> plan, Map<String, Boolean> fires) {
        next.keySet().retainAll(fires.keySet());
        List<CompletableFuture<Void>> looks = new ArrayList<>();
        boolean[] forsaken = {false};
        fires.forEach((fire, trigger) -> looks.add(look(seen, plan, fire, trigger)
                .handleAsync(
                        (found, error) -> {
                            if (error != null) {
                                next.remove(fire);
                            }
                            forsaken[0] |= error == null && found;
                            return (Void) null;
                        },
                        term.lane)
                .toCompletableFuture()));
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                .thenRunAsync(
                        () -> {
                            if (forsaken[0] && !term.over) {
                                // a plan that is written is read by all; whoever has it written meanwhile told them too
                                commit(plan, plan.value(), List.of(), null);
                            }
                        },
                        term.lane);
    }

    /** Whether the plan was made from the override that is known, by which items are disabled. */
    private static boolean current(JobView seen, ShardingPlan plan) {
        return plan.overrideMzxid()
                == (seen.override() == null ? 0 : seen.override().mzxid());
    }

    /** Scheduled fires, and those whose triggers wait for their end: by name, with whether there is such a trigger. */
    private static Map<String, Boolean> toLookAt(List<String> kept, List<Trigger> triggers) {
        Set<String> triggered = new HashSet<>();
        triggers.forEach(trigger -> triggered.add(trigger.fire().id()));
        Map<String, Boolean> fires = new TreeMap<>();
        for (String fire : kept) {
            if (FireProgress.scheduled(fire) || triggered.contains(fire)) {
                fires.put(fire, triggered.contains(fire));
            }
        }
        return fires;
    }

    /** Looks at a fire; tells whether somebody who lives is to tell of it, and does not know. */
    private CompletionStage<Boolean> look(JobView seen, Versioned<ShardingPlan> plan, String fire, boolean trigger) {
        Instant now = term.coordination.membership().serverTime();
        if (now.isBefore(next.getOrDefault(fire, Instant.MIN))) {
            return NO;
        }
        return term.coordination
                .fires()
                .look(job, fire)
                .thenComposeAsync(
                        kept -> {
                            Versioned<FireProgress> progress = kept.progress();
                            Once once =
                                    progress == null ? null : progress.value().once();
                            if (term.over || progress == null || once == null) {
                                return NO;
                            }
                            CompletionStage<Boolean> forsaken =
                                    once.calling() ? lookForCaller(seen, plan, kept, progress, once, trigger) : NO;
                            Duration quiet = Duration.between(progress.modified(), now);
                            if (trigger || progress.value().left().isEmpty() || quiet.compareTo(SHORTEST_PAUSE) < 0) {
                                return forsaken;
                            }
                            next.put(fire, now.plus(quiet.compareTo(LONGEST_PAUSE) < 0 ? quiet : LONGEST_PAUSE));
                            return term.coordination
                                    .items()
                                    .read(job, progress.value().left(), Items.Watch.NOTHING)
                                    .thenComposeAsync(
                                            items -> takeOff(seen, plan, fire, progress, once, items), term.lane)
                                    .thenCombine(forsaken, Boolean::logicalOr);
                        },
                        term.lane);
    }

    private CompletionStage<Boolean> lookForCaller(
            JobView seen,
            Versioned<ShardingPlan> plan,
            FireView kept,
            Versioned<FireProgress> progress,
            Once once,
            boolean trigger) {
        String caller = once.caller();
        if (caller == null) {
            return forsaken(seen, plan, kept, progress, trigger);
        }
        // read after what it has written: if it isn't there now, it never will be again
        return term.coordination
                .membership()
                .registered(caller)
                .thenComposeAsync(there -> there ? NO : forsaken(seen, plan, kept, progress, trigger), term.lane);
    }

    /** Where there is nobody who can tell of the fire, it goes on without. */
    private CompletionStage<Boolean> forsaken(
            JobView seen,
            Versioned<ShardingPlan> plan,
            FireView kept,
            Versioned<FireProgress> progress,
            boolean trigger) {
        if (term.over) {
            return NO;
        }
        boolean wanted = seen.definition() != null && seen.definition().value().onceListeners();
        if (wanted && term.hasOnceListener(job)) {
            return CompletableFuture.completedStage(true);
        }
        if (!told) {
            told = true;
            log.warn(
                    "job '{}' was registered with a OnceListener, and no instance that lives has it: its fires go on without",
                    job);
        }
        FireProgress to = progress.value().told(null);
        return commit(plan, null, List.of(), new FireWrite(kept.fire(), progress, to, to.done() && trigger))
                .thenApply(verdict -> false);
    }

    private CompletionStage<Boolean> takeOff(
            JobView seen,
            Versioned<ShardingPlan> plan,
            String fire,
            Versioned<FireProgress> progress,
            Once once,
            List<ItemView> items) {
        Map<String, ItemOutcome> off = new TreeMap<>();
        List<RecordWrite> records = new ArrayList<>();
        List<String> keys = plan.value().keys();
        FireTimes times = term.times(seen, plan.value());
        for (ItemView view : items) {
            Versioned<ItemRecord> record = view.record();
            if (record == null) {
                if (view.damage() == null && !keys.contains(view.item())) {
                    off.put(view.item(), ItemOutcome.SKIPPED);
                }
            } else if (decided(record.value(), once)) {
                off.put(view.item(), outcome(record.value(), once));
            } else if (times != null) {
                SkipReason reason = keys.contains(view.item()) || record.value().unfinished()
                        ? excluded(seen, plan.value(), view.item(), record.value())
                        : SkipReason.NO_INSTANCE;
                if (reason != null && records.size() < mostRecords) {
                    off.put(view.item(), ItemOutcome.SKIPPED);
                    records.add(
                            new RecordWrite(view.item(), record, leftOut(record.value(), times, once.at(), reason)));
                }
            }
        }
        if (term.over || off.isEmpty()) {
            return NO;
        }
        FireProgress to = progress.value().with(off);
        Once then = to.once();
        boolean closes = then != null && then.calling() && then.caller() == null;
        FireWrite write = new FireWrite(fire, progress, to, false);
        return commit(plan, null, records, write).thenApply(verdict -> {
            if (verdict instanceof TransactionResult.Refused refused && refused.tooLarge()) {
                mostRecords = Math.max(1, records.size() / 2);
            }
            if (!(verdict instanceof TransactionResult.Done)) {
                next.remove(fire);
                return false;
            }
            mostRecords = Math.min(MOST_RECORDS, mostRecords * 2);
            term.events.skipped(job, records);
            return closes;
        });
    }

    private CompletionStage<TransactionResult> commit(
            Versioned<ShardingPlan> plan,
            @Nullable ShardingPlan to,
            List<RecordWrite> records,
            @Nullable FireWrite write) {
        return term.coordination
                .items()
                .commit(new PlanTransaction(job, term.leadership, plan, to, records, Map.of(), Set.of(), write))
                .thenApplyAsync(
                        verdict -> {
                            if (to != null || !(verdict instanceof TransactionResult.Done)) {
                                outdated.run();
                            }
                            return verdict;
                        },
                        term.lane);
    }

    /** Whether an item will not run the fire any more, whatever happens. */
    private static boolean decided(ItemRecord record, Once once) {
        boolean runs = record.unfinished() && runs(record, once);
        return record.incarnation() != once.incarnation()
                || record.state() == ItemState.RETIRED
                || (!runs && !record.cursor().isBefore(once.at()));
    }

    private static boolean runs(ItemRecord record, Once once) {
        Run run = record.run();
        return run != null && !run.fire().triggered() && run.fire().at().equals(once.at());
    }

    private static ItemOutcome outcome(ItemRecord record, Once once) {
        ItemOutcome outcome = record.outcome();
        return runs(record, once) && outcome != null ? outcome : ItemOutcome.SKIPPED;
    }

    /** Why an item that has not decided the fire is not to; null if it is. */
    private static @Nullable SkipReason excluded(JobView seen, ShardingPlan plan, String item, ItemRecord record) {
        if (record.unfinished()) {
            return null;
        }
        if (record.state() == ItemState.QUARANTINED) {
            return SkipReason.QUARANTINED;
        }
        if (seen.overrideOrNone().disabledItems().contains(item)) {
            return SkipReason.DISABLED;
        }
        return paused(seen, plan) ? SkipReason.PAUSED : null;
    }

    /** Whether all who claim by the plan know that the job is paused. */
    private static boolean paused(JobView seen, ShardingPlan plan) {
        Versioned<Definition> definition = seen.definition();
        return definition != null
                && plan.configMzxid() == definition.mzxid()
                && seen.overrideOrNone().pauses(definition.value().configuration());
    }

    private static ItemRecord leftOut(ItemRecord record, FireTimes times, Instant fire, SkipReason reason) {
        List<Unrun> unrun =
                times.of(record).unrun(record.cursor(), fire, reason).stream().toList();
        return record.rewritten(record.state(), fire, record.triggerCursor(), record.incarnation())
                .leavingOut(unrun);
    }
}
