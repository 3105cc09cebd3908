package io.ostraka.core.leader;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The nodes of a job that people and latecomers look at: kept true, and not for ever. */
final class Housekeeping {
    /** How many failover nodes go into one transaction: they are hints, and the next audit writes the rest. */
    private static final int MOST_HANDOVERS = 400;

    private final String job;
    private final Term term;
    private final FireSweep fireSweep;
    private final OnceSweep onceSweep;
    private int mostHandovers = MOST_HANDOVERS;

    /**
     * @param outdated called, on the leader's lane, when what is known of the job no longer holds
     */
    Housekeeping(String job, Term term, Runnable outdated) {
        this.job = job;
        this.term = term;
        this.fireSweep = new FireSweep(job, term);
        this.onceSweep = new OnceSweep(job, term, outdated);
    }

    static Map<String, ItemView> byItem(List<ItemView> items) {
        Map<String, ItemView> all = new HashMap<>();
        items.forEach(item -> all.put(item.item(), item));
        return all;
    }

    /** Which failover nodes a plan needs: one for each interrupted fire, naming who is to take it over. */
    Map<String, HandoverWrite> handovers(ShardingPlan plan, Map<String, ItemView> items) {
        Map<String, String> owners = plan.owners();
        Map<String, HandoverWrite> handovers = new TreeMap<>();
        items.forEach((item, view) -> {
            String to = owners.get(item);
            if (to != null && view.interrupted() && view.record() != null && handovers.size() < mostHandovers) {
                Run run = view.record().value().requireRun();
                boolean livesOn = term.instances.stream()
                        .anyMatch(instance -> instance.earlierIds().contains(run.owner()));
                Handover handover = new Handover(run.fire().id(), run.attempt(), run.owner(), to, livesOn);
                if (!handover.equals(view.handover())) {
                    handovers.put(item, new HandoverWrite(handover, view.handoverNode()));
                }
            }
        });
        return handovers;
    }

    /**
     * Reads all items, and mends what tells of them: failover nodes, and the progress of triggered fires.
     *
     * @param also is told of the items, on the leader's lane
     */
    void mend(Versioned<ShardingPlan> plan, Consumer<List<ItemView>> also) {
        term.coordination
                .items()
                .keys(job)
                .thenCompose(keys -> term.coordination.items().read(job, keys, Items.Watch.NOTHING))
                .thenAcceptAsync(
                        items -> {
                            mendHandovers(plan, byItem(items));
                            fireSweep.sweep(plan, byItem(items));
                            also.accept(items);
                        },
                        term.lane);
    }

    /** Removes failover nodes that are no longer true, and writes those that are missing. */
    private void mendHandovers(Versioned<ShardingPlan> plan, Map<String, ItemView> items) {
        Set<String> stale = new TreeSet<>();
        items.forEach((item, view) -> {
            if (view.handoverNode() && !view.interrupted() && stale.size() < mostHandovers) {
                stale.add(item);
            }
        });
        Map<String, HandoverWrite> missing = handovers(plan.value(), items);
        if (!term.over && !(stale.isEmpty() && missing.isEmpty())) {
            term.coordination
                    .items()
                    .commit(new PlanTransaction(job, term.leadership, plan, null, List.of(), missing, stale, null))
                    .thenAcceptAsync(
                            verdict -> {
                                boolean tooLarge =
                                        verdict instanceof TransactionResult.Refused refused && refused.tooLarge();
                                mostHandovers = tooLarge ? Math.max(1, mostHandovers / 2) : MOST_HANDOVERS;
                            },
                            term.lane);
        }
    }

    /** Looks at the fires that once-listeners are told of. */
    void sweepOnce(JobView seen) {
        onceSweep.sweep(seen);
    }

    /**
     * Ends the triggers of a removed job: what of them had not ended by then is skipped. Under a closed plan the job comes
     * back, and triggers that have not begun wait for its items.
     */
    void endTriggers(Versioned<ShardingPlan> plan) {
        term.coordination
                .fires()
                .triggers()
                .thenAcceptAsync(
                        triggers -> triggers.stream()
                                .filter(trigger -> trigger.request().job().equals(job))
                                .forEach(trigger -> end(trigger, plan)),
                        term.lane);
    }

    private void end(Trigger trigger, Versioned<ShardingPlan> plan) {
        String fire = trigger.fire().id();
        term.coordination
                .fires()
                .look(job, fire)
                .thenAcceptAsync(
                        kept -> {
                            UnreadableNode damage = kept.damage();
                            boolean begun = kept.progress() != null || damage != null;
                            if (term.over || (!begun && plan.value().closed()) || (damage != null && damage.newer())) {
                                return;
                            }
                            FireProgress nothing = new FireProgress(trigger.name(), Set.of(), Map.of(), null);
                            Versioned<FireProgress> known = damage == null
                                    ? kept.progress()
                                    : damage.replacedBy(
                                            new Versioned<>(nothing, 0, 0, 0, Instant.EPOCH, new JsonObject()));
                            FireProgress from = known == null ? nothing : known.value();
                            Map<String, ItemOutcome> skipped = new TreeMap<>();
                            from.left().forEach(item -> skipped.put(item, ItemOutcome.SKIPPED));
                            FireProgress to = from.with(skipped);
                            if (!to.done() && skipped.isEmpty()) {
                                return; // its once-listeners are being told
                            }
                            FireWrite end = new FireWrite(fire, known, to, to.done());
                            term.coordination
                                    .items()
                                    .commit(new PlanTransaction(
                                            job, term.leadership, plan, null, List.of(), Map.of(), Set.of(), end))
                                    .thenAccept(verdict -> {
                                        if (verdict instanceof TransactionResult.Done && !skipped.isEmpty()) {
                                            term.events.skipped(
                                                    job,
                                                    skipped.keySet(),
                                                    plan.value().incarnation(),
                                                    trigger.fire(),
                                                    SkipReason.REMOVED);
                                        }
                                    });
                        },
                        term.lane);
    }
}
