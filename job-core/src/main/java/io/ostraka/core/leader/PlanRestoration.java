package io.ostraka.core.leader;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.decide.PlanRecovery;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a job's plan again where a hand has damaged or deleted it. Confined to the leader's lane. */
final class PlanRestoration {
    private static final Logger log = LoggerFactory.getLogger(PlanRestoration.class);

    private final String job;
    private final Term term;

    /**
     * What is to be written.
     *
     * @param from what it replaces; null if there is no node
     */
    record Restored(@Nullable Versioned<ShardingPlan> from, ShardingPlan to) {}

    PlanRestoration(String job, Term term) {
        this.job = job;
        this.term = term;
    }

    /**
     * Returns what the plan becomes; empty when it is to be left alone.
     *
     * @param last what this leader knew of it; null if nothing
     */
    CompletionStage<Optional<Restored>> restore(JobView seen, @Nullable Versioned<ShardingPlan> last) {
        UnreadableNode damage = seen.damages().plan();
        if (damage == null && last != null) {
            // the records are gone with it: as after a change of the item count there are new ones
            log.warn("job '{}': its plan is gone; it is made anew", job);
            ShardingPlan.Change change = new ShardingPlan.Change(
                    last.value().total(),
                    last.value().nextIncarnation(),
                    serverTime(),
                    last.value().scope());
            return restored(null, last.value().closedFor(change));
        }
        if (damage == null || damage.newer()) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        if (last != null) {
            log.warn("job '{}': {}; it is put back as it was", job, damage.text());
            return restored(damage.replacedBy(last), last.value());
        }
        log.warn("job '{}': {}; it is made anew from the records of the items", job, damage.text());
        return term.coordination
                .items()
                .keys(job)
                .thenCompose(keys -> term.coordination.items().read(job, keys, Items.Watch.NOTHING))
                .thenApply(items -> {
                    ShardingPlan plan = rebuilt(seen, items);
                    Versioned<ShardingPlan> from = new Versioned<>(plan, 0, 0, 0, Instant.EPOCH, new JsonObject());
                    return Optional.of(new Restored(damage.replacedBy(from), plan));
                });
    }

    private static CompletionStage<Optional<Restored>> restored(
            @Nullable Versioned<ShardingPlan> from, ShardingPlan to) {
        return CompletableFuture.completedStage(Optional.of(new Restored(from, to)));
    }

    private ShardingPlan rebuilt(JobView seen, List<ItemView> items) {
        Versioned<Definition> definition = Objects.requireNonNull(seen.definition(), "definition");
        Map<String, ItemRecord> records = new HashMap<>();
        long latest = definition.czxid();
        for (ItemView item : items) {
            if (item.record() != null) {
                records.put(item.item(), item.record().value());
                latest = Math.max(latest, item.record().mzxid());
            }
        }
        JobConfiguration effective = seen.effective();
        return PlanRecovery.of(
                effective,
                seen.overrideOrNone().removed() ? 0 : effective.shardingTotalCount(),
                definition.mzxid(),
                seen.override() == null ? 0 : seen.override().mzxid(),
                records,
                latest,
                serverTime());
    }

    /** Has damaged records that no instance has, and so none puts back, count as retired. */
    List<ItemView> settled(JobView seen, List<ItemView> items) {
        Map<String, String> owners =
                seen.plan() == null ? Map.of() : seen.plan().value().owners();
        Set<String> living = term.living();
        return items.stream()
                .map(item -> item.damage() == null
                                || item.damage().newer()
                                || living.contains(owners.getOrDefault(item.item(), ""))
                        ? item
                        : item.replacedBy(
                                ItemRecord.lost(serverTime(), 0).rewritten(ItemState.RETIRED, serverTime(), 0, 0)))
                .toList();
    }

    private Instant serverTime() {
        return term.coordination.membership().serverTime();
    }
}
