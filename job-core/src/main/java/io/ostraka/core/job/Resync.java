package io.ostraka.core.job;

import io.ostraka.api.event.RunFenced;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.event.RecordedEvents;
import io.ostraka.core.job.HostedItemState.ActiveRun;
import io.ostraka.core.job.HostedItemState.ClaimedBatch;
import io.ostraka.core.job.HostedItemState.Reading;
import io.ostraka.core.job.HostedItemState.Unread;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads nodes whose contents this instance does not know. These are the nodes of an item that is new in this
 * instance, and the nodes of an item after a lost reply. While plan and items do not change, this class reads nothing. Confined to the job's serial executor.
 */
final class Resync {
    private static final Logger log = LoggerFactory.getLogger(Resync.class);

    private final HostedJobState job;
    private final KeptFires fires;
    private final PlanReader plan;
    private final NodeRepair repair;
    private final SkippedFires skipped;

    /** Starts runs for claims that succeeded although their replies were lost. */
    interface Resumed {
        void start(HostedItem hosted, JobSnapshot decidedFrom, ClaimedBatch batch);
    }

    Resync(HostedJobState job, KeptFires fires, PlanReader plan, NodeRepair repair, SkippedFires skipped) {
        this.job = job;
        this.fires = fires;
        this.plan = plan;
        this.repair = repair;
        this.skipped = skipped;
    }

    /** Handles the result of a transaction that failed or has an unknown outcome. Outdated nodes are read again. */
    void after(TransactionResult result, KeptFires.@Nullable KeptFire fire, int moves) {
        job.rejected();
        if (result instanceof TransactionResult.Refused refused) {
            job.refused(moves, refused.tooLarge());
        } else if (result instanceof TransactionResult.Unknown && fire != null) {
            fire.known = false;
        } else if (result instanceof TransactionResult.Outdated outdated) {
            log.debug("job '{}': {} of item {} is outdated", job.name, outdated.about(), outdated.item());
            HostedItem hosted = outdated.item() == null ? null : job.items.get(outdated.item());
            switch (outdated.about()) {
                case RECORD, HANDOVER, RUNNING -> {
                    if (hosted != null) {
                        hosted.reread();
                    }
                }
                case PLAN -> plan.read();
                case INSTANCE -> {
                    job.online = false;
                    job.context.instance().nodeMissing();
                }
                case FIRE -> {
                    if (fire != null) {
                        if (fire.assumed()) {
                            job.corrected();
                        }
                        fire.known = false;
                    }
                }
                case TRIGGER -> {
                    if (fire != null) {
                        fires.triggerGone(fire);
                    }
                }
                case DEFINITION, OVERRIDE, ORDERS, LEADERSHIP, LEFT_BEHIND, STOP ->
                    throw new IllegalStateException(outdated + "  cannot result from a transaction of items");
            }
        }
    }

    /**
     * Reads the nodes of all unread items.
     *
     * @param resumed starts runs for claims that succeeded although their replies were lost
     */
    void readItems(Resumed resumed) {
        Session reader = job.session();
        List<String> unread = new ArrayList<>();
        for (HostedItem hosted : job.items.values()) {
            if (hosted.state() instanceof Unread) {
                hosted.reading(job.owns(hosted.key()) ? job.snapshot().planVersion() : null);
                unread.add(hosted.key());
            }
        }
        if (unread.isEmpty()) {
            return;
        }
        Items.Watch watch = Items.Watch.ofOwner(reader.id());
        job.onReply(() -> job.context.coordination().items().read(job.name, unread, watch), (views, error) -> {
            if (views == null || job.session().id() != reader.id()) {
                job.rejected();
                for (String item : unread) {
                    HostedItem hosted = job.items.get(item);
                    if (hosted != null) {
                        hosted.readFailed();
                    }
                }
            } else {
                ClaimedBatch batch = new ClaimedBatch();
                views.forEach(view -> take(view, reader, hosted -> {
                    JobSnapshot claimedFrom = hosted.claimedFrom();
                    resumed.start(hosted, claimedFrom == null ? job.snapshot() : claimedFrom, batch);
                }));
                job.flush = true;
                job.dropForeignItems();
            }
            job.advanceSoon();
        });
    }

    private void take(ItemView view, Session reader, Consumer<HostedItem> start) {
        HostedItem hosted = job.items.get(view.item());
        if (hosted == null || !(hosted.state() instanceof Reading)) {
            return;
        }
        ActiveRun active = hosted.activeRun();
        ItemRun run = hosted.run();
        Versioned<ItemRecord> record = view.record();
        if (record == null || record.value().lost()) {
            // the record does not show which triggers the item has ended, so the progress of fires must be current
            fires.invalidateAll();
        }
        DecisionEvents events = record == null ? null : hosted.takeEvents();
        if (record != null) {
            publish(hosted, record, events, reader);
        }
        boolean gone = view.record() == null
                && view.damage() == null
                && run != null
                && ScopedItems.instanceKey(hosted.key())
                && !job.owns(hosted.key());
        switch (gone ? hosted.recordDeleted() : hosted.take(view, reader)) {
            case SETTLED -> {
                ItemRun kept = hosted.run();
                if (hosted.problem() != null) {
                    repair.record(hosted, view);
                } else if (kept != null && !hosted.holdsRunningNode()) {
                    // the run can still complete until another claim
                    kept.lose("the session that claimed it has ended");
                }
            }
            case CLAIMED -> start.accept(hosted);
            case ORPHANED -> handOver(hosted, view.running() == reader.id());
            case FENCED -> {
                if (active != null && run != null) {
                    fenced(active, run, gone ? "its record was deleted with its session" : "another instance has it");
                }
            }
        }
    }

    private void fenced(ActiveRun active, ItemRun run, String why) {
        if (active.fence()) {
            job.context
                    .events()
                    .publish(new RunFenced(
                            run.identity(), why, job.context.platform().clock().now()));
        }
        log.warn(
                "{} was fenced: {}. The engine stops the run, and stores that check the fencing token refuse its writes",
                run,
                why);
        run.lose(why);
        run.stop(ItemRun.Stop.GIVEN_UP);
    }

    /**
     * Publishes the ended runs and the skips that a record shows and that this instance did not know. This includes the
     * result of its own decision if the reply was lost. The other events may come from an instance that has ended
     * before it published them.
     *
     * @param events the decision of this instance whose reply was lost; null if there is none
     */
    private void publish(
            HostedItem hosted, Versioned<ItemRecord> read, @Nullable DecisionEvents events, Session reader) {
        Instant now = job.context.platform().clock().now();
        Versioned<ItemRecord> last = hosted.record() == null ? hosted.remembered() : hosted.record();
        ItemRecord known = last == null ? null : last.value();
        RecordedEvents.ends(
                job.context.events(), job.name, hosted.key(), known, read.value(), reader.instanceId(), now);
        if (events != null && events.wrote(read)) {
            skipped.found(hosted.key(), read.value(), events.skippedLate());
            events.publish(job.context.events(), job.name, hosted.key(), read.mzxid(), reader.instanceId(), now);
        } else {
            RecordedEvents.skips(
                    job.context.events(), job.name, hosted.key(), known, read.value(), reader.instanceId(), now);
        }
    }

    /** Hands over an item that this session has claimed, but that has no run in this instance. */
    private void handOver(HostedItem hosted, boolean runningNode) {
        ItemRecord to = hosted.known().value().handedOver();
        Running running = runningNode ? Running.DELETE : Running.LEAVE;
        hosted.restoring();
        Move move = new Move(hosted.key(), hosted.known(), to, running, false);
        job.commit(new ItemTransaction(job.name, null, List.of(move), null), result -> {
            hosted.invalidate();
            job.advanceSoon();
        });
    }
}
