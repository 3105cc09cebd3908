package io.ostraka.core.coordination;

import io.ostraka.api.Progress;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The plan, the items, and what is done to them: the transactions that the protocol rests on.
 */
public interface Items {
    /** Carries out what an instance does to items; sent once. */
    CompletionStage<TransactionResult> commit(ItemTransaction transaction);

    /** Carries out what the leader does to a job; sent once. */
    CompletionStage<TransactionResult> commit(PlanTransaction transaction);

    /**
     * Deletes an item's record, as the leader, with what its runs have left with it, if plan and record are what they were.
     * It is refused while the item has a running node.
     */
    CompletionStage<TransactionResult> remove(String job, Leadership leader, int planVersion, ItemView item);

    /** Lists the keys of all records of a job. */
    CompletionStage<List<String>> keys(String job);

    /**
     * Reads items of a job, after every write that has been answered to anyone.
     *
     * @param watch what of them is watched: its change is reported, once
     */
    CompletionStage<List<ItemView>> read(String job, Collection<String> items, Watch watch);

    /**
     * What a reading has watched.
     *
     * @param holders of which sessions running nodes are: until they go
     * @param parked whether the records of items that are quarantined are: until they are released
     */
    record Watch(LongPredicate holders, boolean parked) {
        /** Nothing. */
        public static final Watch NOTHING = new Watch(holder -> false, false);
        /** Every running node. */
        public static final Watch RUNNING = new Watch(holder -> true, false);

        /** What an owner waits for: the ends of others' runs, for its own it ends itself, and releases. */
        public static Watch ofOwner(long session) {
            return new Watch(holder -> holder != session, true);
        }
    }

    /**
     * Puts an item's record back.
     *
     * @param to what it becomes; its version doesn't count
     * @param damage in whose place; null if the record is missing
     */
    CompletionStage<TransactionResult> restore(
            String job, Guard guard, String item, Versioned<ItemRecord> to, @Nullable UnreadableNode damage);

    /** Lets a quarantined item start again. It fails when it isn't quarantined. */
    CompletionStage<Void> release(String job, String item);

    /** Reads an item's checkpoint. */
    CompletionStage<Optional<byte[]>> checkpoint(String job, String item);

    /**
     * Saves an item's checkpoint if its record still has a version.
     *
     * @return {@link TransactionResult.About#RECORD} outdated when it has not
     */
    CompletionStage<TransactionResult> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Reads how far runs said that they were, by item; without those that never did, and those that can't be read. */
    CompletionStage<Map<String, Progress>> progress(String job, Collection<String> items);

    /**
     * Saves how far an item's run is if its record still has a version.
     *
     * @return {@link TransactionResult.About#RECORD} outdated when it has not
     */
    CompletionStage<TransactionResult> saveProgress(String job, String item, int recordVersion, Progress progress);
}
