package io.ostraka.core.job;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Progress of the job's triggered fires and of its fires with once-listeners (listeners that only one instance of the
 * cluster calls). Each of these fires has a progress node in ZooKeeper, because its end must be recorded. Confined to
 * the job's serial executor.
 */
final class KeptFires {
    private static final int FEW = 16;

    private final HostedJobState job;
    private final boolean callsListeners;
    private final Map<String, KeptFire> byId = new HashMap<>();

    /** A fire and the contents of its progress node. */
    static final class KeptFire {
        final String id;
        private final boolean scheduled;
        /** True if {@code progress} is valid. If false, the node must be read. */
        boolean known;

        /** True while a transaction that writes only the progress is under way. No read starts during that time. */
        boolean writing;

        /** Number of pending transactions that write both items and the progress. */
        private int sent;
        /** True if a watch has reported a change of the node while {@link #sent} was above 0. */
        private boolean reported;

        /**
         * True if this instance assumes, without a read, that the fire has not begun. The transaction that claims the
         * fire checks this assumption.
         */
        private boolean assumed;

        private boolean reading;
        /** True if a watch will report the next change of the node. */
        private boolean watched;
        /** True if the node has changed since the pending read was sent, so the reply may be outdated. */
        private boolean invalidated;

        private @Nullable Versioned<FireProgress> progress;
        /** True if the trigger's node was deleted before the fire ended. */
        private boolean triggerGone;
        /** True if the instance that the progress names as the caller of the once-listeners has ended. */
        private boolean callerGone;

        KeptFire(String id) {
            this.id = id;
            this.scheduled = FireProgress.scheduled(id);
        }

        /** Returns whether the progress node is known to exist. */
        boolean begun() {
            return progress != null;
        }

        /** Returns whether this instance assumes, without a read, that the fire has not begun. */
        boolean assumed() {
            return assumed;
        }

        /** Returns whether an item still has to end its part of the fire. Also true if the fire has not begun. */
        boolean awaits(String item) {
            return progress == null || progress.value().left().contains(item);
        }

        /** Returns the progress of the fire; null if it has not begun. */
        @Nullable FireProgress progress() {
            return progress == null ? null : progress.value();
        }

        /** Returns the recorded state of the once-listener calls; null if the fire has no such calls. */
        FireProgress.@Nullable Once once() {
            return progress == null ? null : progress.value().once();
        }

        /**
         * Returns whether the fire needs a new caller for its once-listeners: the progress names no instance, or the
         * named instance has ended.
         */
        boolean hasNoLiveCaller() {
            FireProgress.Once once = once();
            return once != null && (once.caller() == null || callerGone);
        }

        /** Updates the progress after this instance has written it. */
        void wrote(FireWrite write, Outcome.Committed commit) {
            Versioned<FireProgress> from = write.from();
            assumed = false;
            callerGone = false; // the writer names itself as caller
            watched = false;
            if (write.over()) {
                progress = null;
            } else {
                progress = from == null
                        ? new Versioned<>(write.to(), 0, commit.zxid(), commit.zxid(), commit.at(), new JsonObject())
                        : from.next(write.to(), commit.zxid(), commit.at());
            }
        }
    }

    /** Contents of a fire's progress node. {@code callerGone} is true if the caller that the node names has ended. */
    private record Sight(Optional<Versioned<FireProgress>> progress, boolean callerGone) {}

    /** @param callsListeners true if this instance has once-listeners for the job */
    KeptFires(HostedJobState job, boolean callsListeners) {
        this.job = job;
        this.callsListeners = callsListeners;
    }

    /** Returns whether the end of a fire must be recorded in a progress node. */
    boolean keeps(Fire fire, long incarnation) {
        return fire.triggered()
                || job.snapshot().onceListeners()
                || byId.containsKey(FireProgress.nodeOf(fire, incarnation));
    }

    /**
     * Returns the fire that this instance is about to claim for the first time. If a scheduled fire is not known here,
     * this method assumes, without a read, that the fire has not begun.
     */
    KeptFire toBegin(Fire fire, long incarnation) {
        String id = FireProgress.nodeOf(fire, incarnation);
        if (!fire.triggered() && !byId.containsKey(id)) {
            KeptFire kept = new KeptFire(id);
            kept.known = true; // the claim verifies this; a read would cost one request for each fire
            kept.assumed = true;
            byId.put(id, kept);
            job.keptFires = byId.size();
        }
        return get(id);
    }

    /** Returns a fire. If its progress is unknown, this method starts a read, and the job advances after the reply. */
    KeptFire get(String fire) {
        KeptFire kept = byId.computeIfAbsent(fire, KeptFire::new);
        job.keptFires = byId.size();
        if (!kept.known && !kept.reading && !kept.writing) {
            kept.reading = true;
            kept.invalidated = false;
            job.onReply(() -> read(fire), (sight, error) -> {
                kept.reading = false;
                if (sight == null) {
                    job.rejected();
                } else {
                    kept.known = !kept.invalidated;
                    kept.watched = !kept.invalidated;
                    kept.assumed = false;
                    kept.progress = sight.progress.orElse(null);
                    kept.callerGone = sight.callerGone;
                    job.flush = true;
                    job.items.values().forEach(HostedItem::decideAgain); // an item may be due now
                }
                job.advanceSoon();
            });
        }
        return kept;
    }

    private CompletionStage<Sight> read(String fire) {
        Fires fires = job.context.coordination().fires();
        boolean told = job.snapshot().onceListeners();
        return (told ? fires.awaited(job.name, fire) : fires.progress(job.name, fire)).thenCompose(progress -> {
            FireProgress.Once once = progress.map(found -> found.value().once()).orElse(null);
            String caller = once == null ? null : once.caller();
            // the registration is read after the progress that names the caller, so an unregistered caller is gone for
            // good
            return caller == null
                    ? CompletableFuture.completedStage(new Sight(progress, false))
                    : job.context
                            .coordination()
                            .membership()
                            .registered(caller)
                            .thenApply(there -> new Sight(progress, !there));
        });
    }

    /**
     * Ensures that a watch reports the next change of a fire's node. A write sets no watch, so a node that was only
     * written is read.
     */
    void await(KeptFire kept) {
        if (!kept.watched) {
            kept.known = false;
            get(kept.id);
        }
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** Marks a fire's progress for reading if this instance has only assumed that the fire has not begun. */
    void verify(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept != null && kept.assumed) {
            kept.known = false;
        }
    }

    List<KeptFire> all() {
        return List.copyOf(byId.values());
    }

    /** Counts a sent transaction that writes items and the fire's progress. */
    void sent(KeptFire kept) {
        kept.sent++;
    }

    /**
     * Handles the result of a transaction that writes items and the fire's progress. Notifies the instance if the
     * transaction ended a triggered fire.
     */
    void answered(KeptFire kept, FireWrite write, TransactionResult result) {
        boolean reported = kept.reported;
        kept.sent--;
        kept.reported &= kept.sent > 0;
        if (!(result instanceof TransactionResult.Done done)) {
            if (reported) {
                invalidate(kept.id); // another instance made the reported change
            }
            job.context.instance().fireChanged(kept.id);
            return;
        }
        kept.wrote(write, done.commit());
        if (write.to().done() && write.to().trigger() != null) {
            job.context.instance().fireEnded(kept.id, write.to().outcomes());
        }
    }

    /**
     * Handles a watch event for a fire's node. Returns true if this instance has sent a transaction that writes the
     * node, and has no reply to it yet. Replies and watch events arrive in the server's order. So either that
     * transaction made the reported change, or the change makes the transaction fail.
     */
    boolean reportedWhileWritten(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept == null || kept.sent == 0) {
            return false;
        }
        kept.reported = true;
        return true;
    }

    /** Marks a fire's progress for re-reading, because the node has changed or the fire's caller may have ended. */
    void invalidate(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept != null) {
            kept.known = false;
            kept.watched = false;
            kept.invalidated = true;
        }
    }

    /** Forgets scheduled fires that do not match the predicate, except fires with a read under way. */
    void keepOnly(Predicate<KeptFire> needed) {
        byId.values().removeIf(kept -> kept.scheduled && !kept.reading && !needed.test(kept));
        job.keptFires = byId.size();
    }

    /** Returns the ids of the triggered fires that have begun and still have a trigger node. */
    Set<String> begun() {
        Set<String> begun = new HashSet<>();
        for (Trigger trigger : job.triggers.readable()) {
            KeptFire kept = get(trigger.fire().id());
            if (kept.known && kept.begun()) {
                begun.add(kept.id);
            }
        }
        return begun;
    }

    Optional<Trigger> trigger(String fire) {
        return job.triggers.readable().stream()
                .filter(trigger -> trigger.request().runId().equals(fire))
                .findFirst();
    }

    /**
     * Returns the write that records the end of items in a fire's progress; null if the progress does not change.
     *
     * @param begins scheduled fire that the same transaction claims; null if it claims none
     */
    @Nullable FireWrite write(KeptFire kept, Map<String, ItemOutcome> ended, @Nullable Fire begins) {
        String self = listenerCaller();
        Versioned<FireProgress> from = kept.progress;
        FireProgress to =
                from == null ? begun(kept, ended, begins, self) : from.value().with(ended, self);
        return to == null || (from != null && to.equals(from.value())) ? null : write(kept, to);
    }

    /**
     * Returns the id that a write records as the caller of once-listeners: the id of this instance. Null if this
     * instance has no once-listeners.
     */
    @Nullable String listenerCaller() {
        return callsListeners ? job.session().instanceId() : null;
    }

    /**
     * Returns the write that replaces a fire's progress. If the new progress ends a triggered fire, the write also
     * deletes the trigger.
     */
    FireWrite write(KeptFire kept, FireProgress to) {
        return new FireWrite(kept.id, kept.progress, to, to.done() && to.trigger() != null && !kept.triggerGone);
    }

    private @Nullable FireProgress begun(
            KeptFire kept, Map<String, ItemOutcome> ended, @Nullable Fire begins, @Nullable String self) {
        ShardingPlan plan = job.snapshot().plan();
        List<String> keys = plan.keys();
        Trigger trigger = trigger(kept.id).orElse(null);
        Instant at = trigger == null
                ? begins == null ? null : begins.at()
                : trigger.fire().logicalTime();
        if (at == null) {
            return null; // the progress node was deleted by hand, and the fire has no trigger
        }
        FireProgress.Once once = new FireProgress.Once(
                FireProgress.Phase.BEGINNING, self, self == null ? 0 : 1, at, plan.total(), plan.incarnation());
        if (trigger == null) {
            return FireProgress.scheduled(keys, once).with(ended);
        }
        FireProgress begun = FireProgress.begun(trigger, keys).with(ended);
        return job.snapshot().onceListeners() ? begun.telling(once) : begun;
    }

    /** Records that the trigger of a fire was deleted, by hand or because the fire ended in another instance. */
    void triggerGone(KeptFire kept) {
        kept.triggerGone = true;
        job.triggers = job.triggers.without(kept.id);
        job.context.instance().readTriggers();
    }

    /**
     * Marks all fires for re-reading, except those that are known to have begun. Another instance may have begun a fire
     * without a watch event in this instance.
     */
    void invalidateUnbegun() {
        byId.values().forEach(kept -> kept.known &= kept.begun());
    }

    /** Marks the progress of all fires for re-reading. */
    void invalidateAll() {
        byId.values().forEach(kept -> {
            kept.known = false;
            kept.invalidated = true;
        });
    }

    /**
     * Called when the job's triggers have changed. Forgets old fires as soon as they outnumber the present ones, so that
     * each step visits few fires.
     */
    void triggersChanged() {
        if (byId.size() > FEW + 2 * job.triggers.readable().size()) {
            forgetOld();
        }
    }

    /** Forgets triggered fires that have neither a trigger nor a run in this instance. */
    void forgetOld() {
        Set<String> present = new HashSet<>();
        job.triggers.readable().forEach(trigger -> present.add(trigger.request().runId()));
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.run();
            if (run != null) {
                present.add(run.claim().fire().id());
            }
        }
        byId.values().removeIf(kept -> !kept.scheduled && !present.contains(kept.id));
        job.keptFires = byId.size();
    }
}
