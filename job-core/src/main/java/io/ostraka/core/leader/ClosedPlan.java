package io.ostraka.core.leader;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What is looked at while a plan is closed: all that has to end before it opens. Confined to the leader's lane. */
final class ClosedPlan {
    private final String job;
    private final Term term;
    private final PlanRestoration planRestoration;

    ClosedPlan(String job, Term term, PlanRestoration planRestoration) {
        this.job = job;
        this.term = term;
        this.planRestoration = planRestoration;
    }

    /**
     * What stands in the nodes.
     *
     * @param items all there are
     * @param firesGoOn whether a trigger whose fire has begun has items left
     */
    record Read(List<ItemView> items, boolean firesGoOn) {}

    /**
     * What it comes to.
     *
     * @param ledger for the decision
     * @param items by item
     * @param damage of a record that its owner has to put back first; null if there is none
     */
    record Seen(Planning.Ledger ledger, Map<String, ItemView> items, @Nullable String damage) {}

    /** Reads it, the fires after the items. */
    CompletionStage<Read> read() {
        return term.coordination
                .items()
                .keys(job)
                .thenCompose(keys -> term.coordination.items().read(job, keys, Items.Watch.RUNNING))
                .thenCompose(items -> firesGoOn().thenApply(going -> new Read(items, going)));
    }

    private CompletionStage<Boolean> firesGoOn() {
        return term.coordination.fires().triggers().thenCompose(triggers -> {
            CompletionStage<Boolean> any = CompletableFuture.completedStage(false);
            for (Trigger trigger : triggers) {
                if (trigger.request().job().equals(job)) {
                    any = any.thenCombine(
                            term.coordination.fires().look(job, trigger.fire().id()),
                            (before, fire) -> before
                                    || fire.damage() != null // it has begun, and the next audit mends its node
                                    || (fire.progress() != null
                                            && !fire.progress().value().left().isEmpty()));
                }
            }
            return any;
        });
    }

    /**
     * Makes of it what a decision needs.
     *
     * @param placeable whether an instance takes items of the job
     */
    Seen seen(JobView view, Read read, boolean placeable) {
        Map<String, ItemRecord> records = new HashMap<>();
        Set<String> abandoned = new HashSet<>();
        boolean deserted = view.overrideOrNone().removed() && !placeable;
        boolean running = false;
        String damage = null;
        List<ItemView> settled = planRestoration.settled(view, read.items);
        for (ItemView item : settled) {
            if (item.damage() != null && damage == null) {
                damage = item.damage().text();
            }
            running |= item.running() != 0;
            if (deserted && item.interrupted()) {
                abandoned.add(item.item());
            }
            if (item.record() != null) {
                records.put(item.item(), item.record().value());
            }
        }
        boolean goingOn = running || (read.firesGoOn && !deserted);
        return new Seen(new Planning.Ledger(records, goingOn, abandoned), Housekeeping.byItem(settled), damage);
    }

    /** What a closed plan waits for. */
    static Map<Kind, String> waiting(ShardingPlan plan, Planning.Ledger ledger, Map<String, ItemView> items) {
        ShardingPlan.Change change = plan.change();
        return change == null
                ? Map.of()
                : Map.of(Kind.ITEM_COUNT_CHANGING, Holdup.text(plan, change, items.values(), ledger.busy()));
    }
}
