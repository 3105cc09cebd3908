package io.ostraka.faults.mutants;

import io.ostraka.api.Progress;
import io.ostraka.core.coordination.Alarms;
import io.ostraka.core.coordination.Backfills;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.ItemChange;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.Settings;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A coordination whose reads of items return changed views. */
final class MutantCoordination implements Coordination, Items {
    /** Changes views of items. */
    interface Sight {
        /**
         * @param all true if the caller reads every item of the job, as a leader does while it waits for the items
         */
        ItemView seen(ItemView view, boolean all);

        /**
         * Returns the record to write in place of a lost one.
         *
         * @param read the record as this process has last read it; null if it has not read it
         */
        default ItemRecord restored(ItemRecord lost, @Nullable ItemRecord read) {
            return lost;
        }
    }

    private final Coordination real;
    private final Sight sight;
    private volatile List<String> allKeys = List.of();
    /** The records of items as this process has last read them. */
    private final Map<String, ItemRecord> known = new ConcurrentHashMap<>();

    MutantCoordination(Coordination real, Sight sight) {
        this.real = real;
        this.sight = sight;
    }

    /** Returns a view with another record and without a running node. */
    static ItemView with(ItemView view, ItemRecord other) {
        Versioned<ItemRecord> record = view.record();
        if (record == null) {
            return view;
        }
        return new ItemView(
                view.item(),
                new Versioned<>(
                        other, record.version(), record.czxid(), record.mzxid(), record.modified(), record.unknown()),
                0,
                view.ownerLives(),
                view.handover(),
                view.handoverNode(),
                view.damage());
    }

    @Override
    public CompletionStage<List<ItemView>> read(String job, Collection<String> items, Watch watch) {
        boolean all = watch == Watch.RUNNING && items == allKeys;
        return real.items().read(job, items, watch).thenApply(views -> views.stream()
                .map(view -> {
                    Versioned<ItemRecord> record = view.record();
                    if (record != null) {
                        known.put(job + "/" + view.item(), record.value());
                    }
                    return sight.seen(view, all);
                })
                .toList());
    }

    @Override
    public CompletionStage<List<RecordView>> records(String job, List<String> items) {
        return real.items().records(job, items);
    }

    @Override
    public CompletionStage<List<String>> keys(String job) {
        return real.items().keys(job).thenApply(keys -> {
            allKeys = keys;
            return keys;
        });
    }

    @Override
    public Alarms alarms() {
        return real.alarms();
    }

    @Override
    public Settings settings() {
        return real.settings();
    }

    @Override
    public Items items() {
        return this;
    }

    @Override
    public CompletionStage<TransactionResult> commit(ItemTransaction transaction) {
        return real.items().commit(transaction);
    }

    @Override
    public CompletionStage<TransactionResult> commit(PlanTransaction transaction) {
        return real.items().commit(transaction);
    }

    @Override
    public CompletionStage<TransactionResult> restore(
            String job,
            Guard guard,
            String item,
            Versioned<ItemRecord> to,
            @Nullable UnreadableNode damage,
            Running running) {
        ItemRecord written = sight.restored(to.value(), known.get(job + "/" + item));
        return real.items()
                .restore(
                        job,
                        guard,
                        item,
                        new Versioned<>(written, to.version(), to.czxid(), to.mzxid(), to.modified(), to.unknown()),
                        damage,
                        running);
    }

    @Override
    public CompletionStage<TransactionResult> remove(
            String job, PlanTransaction.Leadership leader, int planVersion, ItemView item) {
        return real.items().remove(job, leader, planVersion, item);
    }

    @Override
    public CompletionStage<ItemChange> release(String job, String item, ItemChange.Request request) {
        return real.items().release(job, item, request);
    }

    @Override
    public CompletionStage<ItemChange> setBack(String job, String item, ItemChange.Request request) {
        return real.items().setBack(job, item, request);
    }

    @Override
    public CompletionStage<Optional<byte[]>> checkpoint(String job, String item) {
        return real.items().checkpoint(job, item);
    }

    @Override
    public CompletionStage<TransactionResult> saveCheckpoint(
            String job, String item, int recordVersion, byte[] checkpoint) {
        return real.items().saveCheckpoint(job, item, recordVersion, checkpoint);
    }

    @Override
    public CompletionStage<Map<String, Progress>> progress(String job, Collection<String> items) {
        return real.items().progress(job, items);
    }

    @Override
    public CompletionStage<TransactionResult> saveProgress(
            String job, String item, int recordVersion, Progress progress) {
        return real.items().saveProgress(job, item, recordVersion, progress);
    }

    @Override
    public void start(Listener listener) {
        real.start(listener);
    }

    @Override
    public Membership membership() {
        return real.membership();
    }

    @Override
    public Jobs jobs() {
        return real.jobs();
    }

    @Override
    public Fires fires() {
        return real.fires();
    }

    @Override
    public Backfills backfills() {
        return real.backfills();
    }

    @Override
    public void close() {
        real.close();
    }
}
