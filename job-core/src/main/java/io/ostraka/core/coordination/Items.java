package io.ostraka.core.coordination;

import io.ostraka.api.Progress;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Running;
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

/** Operations on plans and items, including the transactions that claim and complete fires. */
public interface Items {
    /** Commits a transaction of an instance. The store never repeats the request, so the result can be unknown. */
    CompletionStage<TransactionResult> commit(ItemTransaction transaction);

    /** Commits a transaction of the leader. The store never repeats the request, so the result can be unknown. */
    CompletionStage<TransactionResult> commit(PlanTransaction transaction);

    /**
     * Deletes an item's record, checkpoint and other nodes in one transaction of the leader. The result is {@link
     * TransactionResult.Outdated} if the plan or the record has a different version, or if an instance is running the
     * item.
     */
    CompletionStage<TransactionResult> remove(String job, Leadership leader, int planVersion, ItemView item);

    /** Returns the keys of all items of a job that have a record. */
    CompletionStage<List<String>> keys(String job);

    /**
     * Reads items of a job. The result includes every write that the store had confirmed to any client before this
     * call.
     *
     * @param watch nodes to watch; the listener receives their next change
     */
    CompletionStage<List<ItemView>> read(String job, Collection<String> items, Watch watch);

    /**
     * Reads only the records of items, in the given order. Unlike {@link #read}, this method changes no node, and reads
     * one node of each item instead of three.
     */
    CompletionStage<List<RecordView>> records(String job, List<String> items);

    /**
     * The record of an item, as read.
     *
     * @param item key of the item
     * @param record the record; null if missing or unreadable
     * @param damage description of an unreadable record; null if it is readable or missing
     */
    record RecordView(String item, @Nullable Versioned<ItemRecord> record, @Nullable UnreadableNode damage) {}

    /**
     * Nodes that a read watches.
     *
     * @param holders condition on the id of the session that owns a running node. If the condition is true, the node is
     *     watched
     * @param parked true to watch the records of items that wait for an operator: quarantined items, and items with a
     *     cursor in the future
     */
    record Watch(LongPredicate holders, boolean parked) {
        /** Watches no node. */
        public static final Watch NOTHING = new Watch(holder -> false, false);
        /** Watches every running node. */
        public static final Watch RUNNING = new Watch(holder -> true, false);

        /**
         * Watches the changes that the owner of the items waits for: the end of runs in other sessions, the release of
         * quarantined items, and the change of a cursor that is in the future.
         */
        public static Watch ofOwner(long session) {
            return new Watch(holder -> holder != session, true);
        }
    }

    /**
     * Restores the damaged or missing record of an item.
     *
     * @param to the new record; its version is ignored
     * @param damage the unreadable record to replace; null if the record is missing
     * @param running {@code DELETE} if the item has a running node of this session and no run, otherwise {@code LEAVE}
     */
    CompletionStage<TransactionResult> restore(
            String job,
            Guard guard,
            String item,
            Versioned<ItemRecord> to,
            @Nullable UnreadableNode damage,
            Running running);

    /** Releases a quarantined item. The stage fails if the item is not quarantined. */
    CompletionStage<ItemChange> release(String job, String item, ItemChange.Request request);

    /**
     * Sets the cursor of an idle item back from the future to the current time. The stage fails if the item is not
     * idle, or if its cursor is not in the future.
     */
    CompletionStage<ItemChange> setBack(String job, String item, ItemChange.Request request);

    /** Returns the checkpoint of an item; empty if there is none. */
    CompletionStage<Optional<byte[]>> checkpoint(String job, String item);

    /**
     * Saves the checkpoint of an item if the item's record still has the given version.
     *
     * @return {@link TransactionResult.Outdated} with {@link TransactionResult.About#RECORD} if the record has a
     *     different version
     */
    CompletionStage<TransactionResult> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Returns the progress that runs have reported, by item. Items without readable progress are left out. */
    CompletionStage<Map<String, Progress>> progress(String job, Collection<String> items);

    /**
     * Saves the progress of a run if the item's record still has the given version.
     *
     * @return {@link TransactionResult.Outdated} with {@link TransactionResult.About#RECORD} if the record has a
     *     different version
     */
    CompletionStage<TransactionResult> saveProgress(String job, String item, int recordVersion, Progress progress);
}
