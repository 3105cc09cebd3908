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
 * Progress of the fires of a job whose end must be recorded: triggered fires and fires with once-listeners. Confined to the job's serial
 * executor.
 */
final class KeptFires {
    private final JobState job;
    private final boolean callsListeners;
    private final Map<String, KeptFire> byId = new HashMap<>();

    /** A fire with its progress node. */
    static final class KeptFire {
        final String id;
        /** True if the progress is as last read or written. */
        boolean known;

        /** True while a write of the progress alone is under way; its reply makes a read unnecessary. */
        boolean writing;

        /** Number of transactions of items under way that also write the progress. */
        private int sent;
        /** True if a change of the node was reported during those transactions. */
        private boolean reported;

        /** True if the fire is assumed not to have begun; the claim verifies it. */
        private boolean assumed;

        private boolean reading;
        /** True if a watch reports the next change. */
        private boolean watched;
        /** True if the read under way may return outdated progress. */
        private boolean invalidated;

        private @Nullable Versioned<FireProgress> progress;
        /** True if the trigger's node was deleted before the end of the fire. */
        private boolean triggerGone;
        /** True if the instance that calls the once-listeners has ended. */
        private boolean callerGone;

        KeptFire(String id) {
            this.id = id;
        }

        /** Returns whether the fire has begun. */
        boolean begun() {
            return progress != null;
        }

        /** Returns whether the fire waits for the end of an item, or has not begun. */
        boolean awaits(String item) {
            return progress == null || progress.value().left().contains(item);
        }

        /** Returns the progress of the fire; null if it has not begun. */
        @Nullable FireProgress progress() {
            return progress == null ? null : progress.value();
        }

        /** Returns the state of the once-listeners; null if the fire has none. */
        FireProgress.@Nullable Once once() {
            return progress == null ? null : progress.value().once();
        }

        /** Returns whether no living instance is to call the once-listeners. */
        boolean forsaken() {
            FireProgress.Once once = once();
            return once != null && (once.caller() == null || callerGone);
        }

        /** Takes the progress that was just written. */
        void wrote(FireWrite write, Outcome.Committed commit) {
            Versioned<FireProgress> from = write.from();
            assumed = false;
            callerGone = false; // the writer names itself as the caller
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

    /** Result of reading a fire's nodes. */
    private record Sight(Optional<Versioned<FireProgress>> progress, boolean callerGone) {}

    /**
     * @param callsListeners true if this instance has once-listeners of the job
     */
    KeptFires(JobState job, boolean callsListeners) {
        this.job = job;
        this.callsListeners = callsListeners;
    }

    /** Returns whether the end of a fire must be recorded. */
    boolean keeps(Fire fire, long incarnation) {
        return fire.triggered()
                || job.snapshot().onceListeners()
                || byId.containsKey(FireProgress.nodeOf(fire, incarnation));
    }

    /** Returns a fire that this instance is about to claim for the first time, assumed not to have begun unless more is known. */
    KeptFire toBegin(Fire fire, long incarnation) {
        String id = FireProgress.nodeOf(fire, incarnation);
        if (!fire.triggered() && !byId.containsKey(id)) {
            KeptFire kept = new KeptFire(id);
            kept.known = true; // the claim verifies this; a read would cost every fire a request
            kept.assumed = true;
            byId.put(id, kept);
            job.keptFires = byId.size();
        }
        return get(id);
    }

    /** Returns a fire, and reads its progress if it is unknown; the reply advances the job. */
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
                    job.items.values().forEach(HostedItem::decideAgain); // it may be due now
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
            // read after the progress that names it: a caller that is not registered now will never return
            return caller == null
                    ? CompletableFuture.completedStage(new Sight(progress, false))
                    : job.context
                            .coordination()
                            .membership()
                            .registered(caller)
                            .thenApply(there -> new Sight(progress, !there));
        });
    }

    /** Watches a fire's node. A node that this instance wrote and has not read has no watch. */
    void await(KeptFire kept) {
        if (!kept.watched) {
            kept.known = false;
            get(kept.id);
        }
    }

    /** Returns whether no fire is kept. */
    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** Has the progress of a claimed fire read if it was only assumed not to have begun. */
    void verify(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept != null && kept.assumed) {
            kept.known = false;
        }
    }

    /** Returns the kept fires, in no order. */
    List<KeptFire> all() {
        return List.copyOf(byId.values());
    }

    /** Records that a transaction of items that also writes the fire was sent. */
    void sent(KeptFire kept) {
        kept.sent++;
    }

    /** Takes the result of a transaction of items that also wrote the fire, and notifies callers that wait for its end. */
    void answered(KeptFire kept, FireWrite write, TransactionResult result) {
        boolean reported = kept.reported;
        kept.sent--;
        kept.reported &= kept.sent > 0;
        if (!(result instanceof TransactionResult.Done done)) {
            if (reported) {
                invalidate(kept.id); // another instance made the change
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
     * Records a reported change of a fire's node; returns true if a transaction of items that writes the node is under way. That
     * transaction either made the change or fails because of it: replies and watch events arrive in the server's order.
     */
    boolean reportedWhileWritten(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept == null || kept.sent == 0) {
            return false;
        }
        kept.reported = true;
        return true;
    }

    /** Invalidates the progress of a fire: its node has changed, or the caller that it names may have ended. */
    void invalidate(String fire) {
        KeptFire kept = byId.get(fire);
        if (kept != null) {
            kept.known = false;
            kept.watched = false;
            kept.invalidated = true;
        }
    }

    /** Forgets scheduled fires that this instance does not need. */
    void keepOnly(Predicate<KeptFire> needed) {
        byId.values().removeIf(kept -> FireProgress.scheduled(kept.id) && !kept.reading && !needed.test(kept));
        job.keptFires = byId.size();
    }

    /** Returns the ids of waiting triggers whose fires have begun. */
    Set<String> begun() {
        Set<String> begun = new HashSet<>();
        for (Trigger trigger : job.triggers) {
            KeptFire kept = get(trigger.fire().id());
            if (kept.known && kept.begun()) {
                begun.add(kept.id);
            }
        }
        return begun;
    }

    Optional<Trigger> trigger(String fire) {
        return job.triggers.stream()
                .filter(trigger -> trigger.fire().id().equals(fire))
                .findFirst();
    }

    /**
     * Returns the write of a fire's progress after the end of items; null if nothing changes.
     *
     * @param begins scheduled fire that the same transaction claims; null for none
     */
    @Nullable FireWrite write(KeptFire kept, Map<String, ItemOutcome> ended, @Nullable Fire begins) {
        String self = listenerCaller();
        Versioned<FireProgress> from = kept.progress;
        FireProgress to =
                from == null ? begun(kept, ended, begins, self) : from.value().with(ended, self);
        return to == null || (from != null && to.equals(from.value())) ? null : write(kept, to);
    }

    /** Returns the instance id that a write names as the caller of once-listeners; null if this instance has no listener. */
    @Nullable String listenerCaller() {
        return callsListeners ? job.session().instanceId() : null;
    }

    /** Returns the write of a fire's progress that precedes or follows a call of its once-listeners. */
    FireWrite write(KeptFire kept, FireProgress to) {
        return new FireWrite(kept.id, kept.progress, to, to.done() && to.trigger() != null && !kept.triggerGone);
    }

    private @Nullable FireProgress begun(
            KeptFire kept, Map<String, ItemOutcome> ended, @Nullable Fire begins, @Nullable String self) {
        ShardingPlan plan = job.snapshot().plan();
        List<String> keys = plan.keys();
        Trigger trigger = trigger(kept.id).orElse(null);
        Instant at = trigger == null ? begins == null ? null : begins.at() : trigger.at();
        if (at == null) {
            return null; // the progress was deleted by hand, and no trigger waits for it
        }
        FireProgress.Once once = new FireProgress.Once(
                FireProgress.Phase.BEGINNING, self, self == null ? 0 : 1, at, plan.total(), plan.incarnation());
        if (trigger == null) {
            return FireProgress.scheduled(keys, once).with(ended);
        }
        FireProgress begun = FireProgress.begun(trigger, keys).with(ended);
        return job.snapshot().onceListeners() ? begun.telling(once) : begun;
    }

    /** Records that the trigger's node was deleted, by hand or because the fire has ended elsewhere. */
    void triggerGone(KeptFire kept) {
        kept.triggerGone = true;
        job.triggers = job.triggers.stream()
                .filter(trigger -> !trigger.fire().id().equals(kept.id))
                .toList();
        job.context.instance().readTriggers();
    }

    /** Invalidates fires that had not begun: another instance may have begun them without an event here. */
    void invalidateUnbegun() {
        byId.values().forEach(kept -> kept.known &= kept.begun());
    }

    /** Invalidates the progress of all fires. */
    void invalidateAll() {
        byId.values().forEach(kept -> kept.known = false);
    }

    /** Forgets triggered fires that neither wait nor run in this instance. */
    void forgetOld() {
        Set<String> present = new HashSet<>();
        job.triggers.forEach(trigger -> present.add(trigger.fire().id()));
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.run();
            if (run != null) {
                present.add(run.claim().fire().id());
            }
        }
        byId.keySet().removeIf(id -> !FireProgress.scheduled(id) && !present.contains(id));
        job.keptFires = byId.size();
    }
}
