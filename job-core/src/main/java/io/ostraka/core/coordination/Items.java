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

/** Operations on plans and items: the transactions on which the protocol rests. */
public interface Items {
    /** Commits a transaction of an instance; it is sent exactly once. */
    CompletionStage<TransactionResult> commit(ItemTransaction transaction);

    /** Commits a transaction of the leader; it is sent exactly once. */
    CompletionStage<TransactionResult> commit(PlanTransaction transaction);

    /**
     * Deletes the record of an item and the data that its runs have left, as the leader, if plan and record still
     * have the given versions. The store rejects the deletion while the item has a running node.
     */
    CompletionStage<TransactionResult> remove(String job, Leadership leader, int planVersion, ItemView item);

    /** Returns the keys of all records of a job. */
    CompletionStage<List<String>> keys(String job);

    /**
     * Reads items of a job; shows every write, of any client, that was answered before.
     *
     * @param watch nodes whose next change is reported
     */
    CompletionStage<List<ItemView>> read(String job, Collection<String> items, Watch watch);

    /**
     * Nodes that a read watches.
     *
     * @param holders selects the sessions whose running nodes are watched until they are deleted
     * @param parked true to watch the records of quarantined items until they are released
     */
    record Watch(LongPredicate holders, boolean parked) {
        /** Watches no node. */
        public static final Watch NOTHING = new Watch(holder -> false, false);
        /** Watches every running node. */
        public static final Watch RUNNING = new Watch(holder -> true, false);

        /**
         * Watches what an owner waits for: the ends of runs of other sessions, since it ends its own runs
         * itself, and releases.
         */
        public static Watch ofOwner(long session) {
            return new Watch(holder -> holder != session, true);
        }
    }

    /**
     * Restores the record of an item.
     *
     * @param to new record; its version is ignored
     * @param damage unreadable record to replace; null if the record is missing
     */
    CompletionStage<TransactionResult> restore(
            String job, Guard guard, String item, Versioned<ItemRecord> to, @Nullable UnreadableNode damage);

    /** Releases a quarantined item. Fails if the item is not quarantined. */
    CompletionStage<Void> release(String job, String item);

    /** Returns the checkpoint of an item. */
    CompletionStage<Optional<byte[]>> checkpoint(String job, String item);

    /**
     * Saves the checkpoint of an item if its record still has the given version.
     *
     * @return {@link TransactionResult.About#RECORD} outdated if the record has another version
     */
    CompletionStage<TransactionResult> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /**
     * Returns the reported progress of runs, by item; without items that never reported any, and without
     * unreadable ones.
     */
    CompletionStage<Map<String, Progress>> progress(String job, Collection<String> items);

    /**
     * Saves the progress of a run if the record of its item still has the given version.
     *
     * @return {@link TransactionResult.About#RECORD} outdated if the record has another version
     */
    CompletionStage<TransactionResult> saveProgress(String job, String item, int recordVersion, Progress progress);
}
