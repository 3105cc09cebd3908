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
 * What an instance knows of a job's fires whose end must be known, triggered ones and those that once-listeners are told of:
 * how far each is as a whole. Confined to the job's lane.
 */
final class KeptFires {
    private final JobState job;
    private final boolean callsListeners;
    private final Map<String, Page> pages = new HashMap<>();

    /** One such fire. */
    static final class Page {
        final String id;
        /** Whether the progress is what was read or written last. */
        boolean known;

        /** Whether a write of it by itself is under way: it is not read meanwhile, for its reply tells all. */
        boolean writing;

        /** Number of transactions of items under way that write it, too. */
        private int sent;
        /** True if a change of the node was reported meanwhile. */
        private boolean reported;

        /** Whether that it has yet to begin is neither read nor written, but what a claim goes by. */
        private boolean assumed;

        private boolean reading;
        /** Whether its next change will be told. */
        private boolean watched;
        /** Whether what is being read may be outdated by now. */
        private boolean doubted;

        private @Nullable Versioned<FireProgress> progress;
        /** Whether the trigger's node turned out to be gone before the fire's end. */
        private boolean triggerGone;
        /** Whether the instance that its once-listeners are to be told by is gone, and so for ever. */
        private boolean callerGone;

        Page(String id) {
            this.id = id;
        }

        /** Whether the fire has begun. */
        boolean begun() {
            return progress != null;
        }

        /** Whether an item's end is awaited, or the fire has yet to begin. */
        boolean awaits(String item) {
            return progress == null || progress.value().left().contains(item);
        }

        /** How far the fire is; null if it has yet to begin. */
        @Nullable FireProgress progress() {
            return progress == null ? null : progress.value();
        }

        /** How far its once-listeners are; null if there is nothing to tell them. */
        FireProgress.@Nullable Once once() {
            return progress == null ? null : progress.value().once();
        }

        /** Whether nobody who could still be there is to tell its once-listeners. */
        boolean forsaken() {
            FireProgress.Once once = once();
            return once != null && (once.caller() == null || callerGone);
        }

        /** Takes what has just been written. */
        void wrote(FireWrite write, Outcome.Committed commit) {
            Versioned<FireProgress> from = write.from();
            assumed = false;
            callerGone = false; // whoever writes names itself
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

    /** What reading a page has shown. */
    private record Sight(Optional<Versioned<FireProgress>> progress, boolean callerGone) {}

    /**
     * @param callsListeners true if this instance has once-listeners of the job
     */
    KeptFires(JobState job, boolean callsListeners) {
        this.job = job;
        this.callsListeners = callsListeners;
    }

    /** Tells whether a fire's end must be known. */
    boolean keeps(Fire fire, long incarnation) {
        return fire.triggered()
                || job.snapshot().onceListeners()
                || pages.containsKey(FireProgress.nodeOf(fire, incarnation));
    }

    /** Returns a fire that is about to be claimed for the first time here: unless more is known, it has yet to begin. */
    Page toBegin(Fire fire, long incarnation) {
        String id = FireProgress.nodeOf(fire, incarnation);
        if (!fire.triggered() && !pages.containsKey(id)) {
            Page page = new Page(id);
            page.known = true; // the claim finds out if it isn't so: asking first would cost every fire a request
            page.assumed = true;
            pages.put(id, page);
            job.keptFires = pages.size();
        }
        return page(id);
    }

    /** Returns a fire, and has it read if it is not known; the reply goes on with the job. */
    Page page(String fire) {
        Page page = pages.computeIfAbsent(fire, Page::new);
        job.keptFires = pages.size();
        if (!page.known && !page.reading && !page.writing) {
            page.reading = true;
            page.doubted = false;
            job.onReply(() -> read(fire), (sight, error) -> {
                page.reading = false;
                if (sight == null) {
                    job.rejected();
                } else {
                    page.known = !page.doubted;
                    page.watched = !page.doubted;
                    page.assumed = false;
                    page.progress = sight.progress.orElse(null);
                    page.callerGone = sight.callerGone;
                    job.flush = true;
                    job.items.values().forEach(HostedItem::decideAgain); // it may be due now
                }
                job.advanceSoon();
            });
        }
        return page;
    }

    private CompletionStage<Sight> read(String fire) {
        Fires fires = job.context.coordination().fires();
        boolean told = job.snapshot().onceListeners();
        return (told ? fires.awaited(job.name, fire) : fires.progress(job.name, fire)).thenCompose(progress -> {
            FireProgress.Once once = progress.map(found -> found.value().once()).orElse(null);
            String caller = once == null ? null : once.caller();
            // read after what it has written: if it isn't there now, it never will be again
            return caller == null
                    ? CompletableFuture.completedStage(new Sight(progress, false))
                    : job.context
                            .coordination()
                            .membership()
                            .registered(caller)
                            .thenApply(there -> new Sight(progress, !there));
        });
    }

    /** Makes sure that a fire's next change is told: one that was written here, and not read, isn't watched. */
    void await(Page page) {
        if (!page.watched) {
            page.known = false;
            page(page.id);
        }
    }

    /** Whether none is looked after. */
    boolean isEmpty() {
        return pages.isEmpty();
    }

    /** Makes sure that it isn't just assumed of a fire that it has yet to begin: of one that was claimed somebody knows. */
    void verify(String fire) {
        Page page = pages.get(fire);
        if (page != null && page.assumed) {
            page.known = false;
        }
    }

    /** All that are looked after, in no order. */
    List<Page> pages() {
        return List.copyOf(pages.values());
    }

    /** A transaction of items is sent that writes a fire, too. */
    void sent(Page page) {
        page.sent++;
    }

    /** A transaction of items that writes a fire is answered: whoever waits for the fire's end learns what that comes to. */
    void answered(Page page, FireWrite write, TransactionResult result) {
        boolean reported = page.reported;
        page.sent--;
        page.reported &= page.sent > 0;
        if (!(result instanceof TransactionResult.Done done)) {
            if (reported) {
                doubt(page.id); // the change was another's
            }
            job.context.instance().fireChanged(page.id);
            return;
        }
        page.wrote(write, done.commit());
        if (write.to().done() && write.to().trigger() != null) {
            job.context.instance().fireEnded(page.id, write.to().outcomes());
        }
    }

    /**
     * A change of a fire's node was reported; returns true if a transaction of items that writes the node is under way. The
     * change is then that transaction's own, or one that refuses it: answers and reports come in the server's order.
     */
    boolean reportedWhileWritten(String fire) {
        Page page = pages.get(fire);
        if (page == null || page.sent == 0) {
            return false;
        }
        page.reported = true;
        return true;
    }

    /** A fire's node has changed, or whom it names may be gone. */
    void doubt(String fire) {
        Page page = pages.get(fire);
        if (page != null) {
            page.known = false;
            page.watched = false;
            page.doubted = true;
        }
    }

    /** Forgets scheduled fires that nothing here has to do with. */
    void keepOnly(Predicate<Page> needed) {
        pages.values().removeIf(page -> FireProgress.scheduled(page.id) && !page.reading && !needed.test(page));
        job.keptFires = pages.size();
    }

    /** Ids of waiting triggers whose fires are known to have begun. */
    Set<String> begun() {
        Set<String> begun = new HashSet<>();
        for (Trigger trigger : job.triggers) {
            Page page = page(trigger.fire().id());
            if (page.known && page.begun()) {
                begun.add(page.id);
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
     * Returns the write of a fire's progress that belongs to ended items; null where there is nothing to write.
     *
     * @param begins the scheduled fire that is claimed with it; null if none is
     */
    @Nullable FireWrite write(Page page, Map<String, ItemOutcome> ended, @Nullable Fire begins) {
        String self = listenerCaller();
        Versioned<FireProgress> from = page.progress;
        FireProgress to =
                from == null ? begun(page, ended, begins, self) : from.value().with(ended, self);
        return to == null || (from != null && to.equals(from.value())) ? null : write(page, to);
    }

    /** Returns the instance id that a write names as the caller of once-listeners; null if this instance has no listener. */
    @Nullable String listenerCaller() {
        return callsListeners ? job.session().instanceId() : null;
    }

    /** Returns the write that has a fire's once-listeners told of what comes next. */
    FireWrite write(Page page, FireProgress to) {
        return new FireWrite(page.id, page.progress, to, to.done() && to.trigger() != null && !page.triggerGone);
    }

    private @Nullable FireProgress begun(
            Page page, Map<String, ItemOutcome> ended, @Nullable Fire begins, @Nullable String self) {
        ShardingPlan plan = job.snapshot().plan();
        List<String> keys = plan.keys();
        Trigger trigger = trigger(page.id).orElse(null);
        Instant at = trigger == null ? begins == null ? null : begins.at() : trigger.at();
        if (at == null) {
            return null; // the progress was deleted by hand, and nobody waits for it
        }
        FireProgress.Once once = new FireProgress.Once(
                FireProgress.Phase.BEGINNING, self, self == null ? 0 : 1, at, plan.total(), plan.incarnation());
        if (trigger == null) {
            return FireProgress.scheduled(keys, once).with(ended);
        }
        FireProgress begun = FireProgress.begun(trigger, keys).with(ended);
        return job.snapshot().onceListeners() ? begun.telling(once) : begun;
    }

    /** The trigger's node is gone, by hand or because the fire has ended elsewhere. */
    void triggerGone(Page page) {
        page.triggerGone = true;
        job.triggers = job.triggers.stream()
                .filter(trigger -> !trigger.fire().id().equals(page.id))
                .toList();
        job.context.instance().readTriggers();
    }

    /** Others may have begun what had not begun when it was read, and nothing has told. */
    void doubtUnbegun() {
        pages.values().forEach(page -> page.known &= page.begun());
    }

    /** Nothing is known for sure any more. */
    void doubtAll() {
        pages.values().forEach(page -> page.known = false);
    }

    /** Forgets triggered fires that neither wait nor run here. */
    void forgetOld() {
        Set<String> present = new HashSet<>();
        job.triggers.forEach(trigger -> present.add(trigger.fire().id()));
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.run();
            if (run != null) {
                present.add(run.claim().fire().id());
            }
        }
        pages.keySet().removeIf(id -> !FireProgress.scheduled(id) && !present.contains(id));
        job.keptFires = pages.size();
    }
}
