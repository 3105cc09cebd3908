package io.ostraka.core.leader;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings every triggered fire to its end where a hand has damaged or deleted what tells it: the records say which items
 * have decided a trigger, for a record and the progress of its fire are only ever written together. Fires that have ended are
 * forgotten after a while. Confined to the leader's lane.
 */
final class FireSweep {
    private static final Logger log = LoggerFactory.getLogger(FireSweep.class);

    /** How many fires are asked for at once: an hour of triggers may have left some hundred thousand. */
    private static final int MOST_READ = 1_000;
    /** How long the progress of a fire that has ended is kept for those who ask. */
    private static final Duration FIRES_KEPT = Duration.ofHours(1);

    private final String job;
    private final Term term;
    private boolean underWay;

    FireSweep(String job, Term term) {
        this.job = job;
        this.term = term;
    }

    /**
     * Looks at all fires, some after the other, and forgets those that ended an hour ago. While that is under way another call
     * does nothing.
     *
     * @param items as read before
     */
    void sweep(Versioned<ShardingPlan> plan, Map<String, ItemView> items) {
        if (underWay) {
            return;
        }
        underWay = true;
        Fires fires = term.coordination.fires();
        Stages.of(fires::triggers)
                .thenCompose(before -> {
                    Set<String> waiting = runsOf(before);
                    // triggers last: their nodes go in the transactions that end their fires
                    return fires.kept(job)
                            .thenCompose(all -> look(all, waiting, new TreeMap<>()))
                            .thenCompose(kept -> fires.triggers()
                                    .thenAcceptAsync(
                                            triggers -> sweep(plan, items, kept, waiting, triggers), term.lane));
                })
                .whenComplete((done, error) -> term.lane.execute(() -> underWay = false));
    }

    private Set<String> runsOf(List<Trigger> triggers) {
        return triggers.stream()
                .filter(trigger -> trigger.request().job().equals(job))
                .map(trigger -> trigger.fire().id())
                .collect(Collectors.toSet());
    }

    /** Reads some of the fires and goes on with the rest; of those that have ended none stays in memory that nothing awaits. */
    private CompletionStage<Map<String, FireView>> look(
            List<String> fires, Set<String> waiting, Map<String, FireView> kept) {
        if (fires.isEmpty() || term.over) {
            return CompletableFuture.completedStage(kept);
        }
        int some = Math.min(fires.size(), MOST_READ);
        return term.coordination
                .fires()
                .look(job, fires.subList(0, some))
                .thenComposeAsync(
                        read -> {
                            Instant before =
                                    term.coordination.membership().serverTime().minus(FIRES_KEPT);
                            for (FireView fire : read) {
                                Versioned<FireProgress> progress = fire.progress();
                                if (progress == null || !progress.value().done() || waiting.contains(fire.fire())) {
                                    kept.put(fire.fire(), fire);
                                } else if (progress.modified().isBefore(before) && !term.over) {
                                    term.coordination.fires().delete(job, fire.fire(), progress.version());
                                }
                            }
                            return look(fires.subList(some, fires.size()), waiting, kept);
                        },
                        term.lane);
    }

    private void sweep(
            Versioned<ShardingPlan> plan,
            Map<String, ItemView> items,
            Map<String, FireView> kept,
            Set<String> before,
            List<Trigger> triggers) {
        if (term.over || plan.value().total() == 0) {
            return; // a job that is removed has its triggers ended otherwise
        }
        Set<String> waiting = runsOf(triggers);
        for (Trigger trigger : triggers) {
            String fire = trigger.fire().id();
            if (trigger.request().job().equals(job) && before.contains(fire)) { // a newer one has its turn next time
                mend(plan, items, trigger, kept.getOrDefault(fire, new FireView(fire, null, null)));
            }
        }
        kept.forEach((fire, known) -> {
            if (!waiting.contains(fire)) {
                orphan(plan, items, known);
            }
        });
    }

    private void mend(Versioned<ShardingPlan> plan, Map<String, ItemView> items, Trigger trigger, FireView kept) {
        if (kept.damage() != null && kept.damage().newer()) {
            return;
        }
        Versioned<FireProgress> from = kept.progress();
        FireProgress present =
                from == null ? FireProgress.begun(trigger, plan.value().keys()) : from.value();
        if (present.done() && !trigger.name().equals(present.trigger())) {
            // the same trigger again, of a request that was sent twice for want of a reply: its fire is over
            present = new FireProgress(trigger.name(), Set.of(), present.outcomes(), null);
        }
        Map<String, ItemOutcome> passed = new TreeMap<>();
        for (String item : present.left()) {
            ItemRecord record = record(items.get(item));
            boolean absent = !plan.value().keys().contains(item);
            boolean decided = record == null || record.state() == ItemState.RETIRED
                    ? absent // one of the plan waits for a new record
                    : record.triggerCursor() >= trigger.zxid() || (absent && !record.unfinished());
            if (decided) {
                passed.put(item, outcome(record, kept.fire()));
            }
        }
        FireProgress to = present.with(passed);
        boolean untouched = from == null && kept.damage() == null && passed.isEmpty() && !to.done();
        if (!untouched && (from == null || !to.equals(from.value()) || to.done())) {
            write(plan, kept, to, to.done());
        }
    }

    private static @Nullable ItemRecord record(@Nullable ItemView view) {
        return view == null || view.record() == null ? null : view.record().value();
    }

    private static ItemOutcome outcome(@Nullable ItemRecord record, String fire) {
        Run run = record == null ? null : record.run();
        ItemOutcome outcome = record == null ? null : record.outcome();
        return run != null && outcome != null && run.fire().id().equals(fire) ? outcome : ItemOutcome.SKIPPED;
    }

    /** Nobody waits for it any more: its trigger is gone, by hand if it has not ended. */
    private void orphan(Versioned<ShardingPlan> plan, Map<String, ItemView> items, FireView kept) {
        if (kept.damage() != null) {
            if (!kept.damage().newer()) {
                log.warn(
                        "job '{}': {}; its fire has ended, it is deleted",
                        job,
                        kept.damage().text());
                term.coordination.fires().delete(job, kept.fire(), kept.damage().version());
            }
            return;
        }
        Versioned<FireProgress> from = kept.progress();
        if (from == null || from.value().done() || from.value().trigger() == null) {
            return;
        }
        if (from.value().left().isEmpty()) {
            write(
                    plan,
                    kept,
                    new FireProgress(
                            from.value().trigger(), Set.of(), from.value().outcomes(), null),
                    false);
            return; // those who are told of its end go on with that
        }
        Map<String, ItemOutcome> passed = new TreeMap<>();
        for (String item : from.value().left()) {
            ItemView view = items.get(item);
            ItemRecord record =
                    view == null || view.record() == null ? null : view.record().value();
            boolean runs = record != null
                    && record.unfinished()
                    && record.requireRun().fire().id().equals(kept.fire());
            if (!runs) {
                passed.put(item, outcome(record, kept.fire()));
            }
        }
        if (!passed.isEmpty()) {
            write(plan, kept, from.value().with(passed), false);
        }
    }

    private void write(Versioned<ShardingPlan> plan, FireView kept, FireProgress to, boolean deleteTrigger) {
        Versioned<FireProgress> from = kept.damage() == null
                ? kept.progress()
                : kept.damage().replacedBy(new Versioned<>(to, 0, 0, 0, Instant.EPOCH, new JsonObject()));
        log.warn("job '{}': the progress of fire {} was incomplete and becomes {}", job, kept.fire(), to);
        FireWrite write = new FireWrite(kept.fire(), from, to, deleteTrigger);
        term.coordination
                .items()
                .commit(new PlanTransaction(job, term.leadership, plan, null, List.of(), Map.of(), Set.of(), write));
    }
}
