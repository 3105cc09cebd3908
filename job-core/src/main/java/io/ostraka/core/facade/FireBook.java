package io.ostraka.core.facade;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an instance knows of a job's triggered fires: how far each is as a whole. Confined to the job's lane. */
final class FireBook {
    private final JobState job;
    private final Map<String, Page> pages = new HashMap<>();

    /** One triggered fire. */
    static final class Page {
        final String id;
        /** Whether the progress is what was read or written last. */
        boolean known;

        private boolean reading;
        private @Nullable Versioned<FireProgress> progress;
        /** Whether the trigger's node turned out to be gone before the fire's end. */
        private boolean triggerGone;

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

        /** Takes what has just been written. */
        void wrote(FireWrite write, Outcome.Committed commit) {
            Versioned<FireProgress> from = write.from();
            progress = from == null
                    ? new Versioned<>(write.to(), 0, commit.zxid(), commit.zxid(), commit.at(), new JsonObject())
                    : from.next(write.to(), commit);
        }
    }

    FireBook(JobState job) {
        this.job = job;
    }

    /** Returns a fire, and has it read if it is not known; the reply goes on with the job. */
    Page page(String fire) {
        Page page = pages.computeIfAbsent(fire, Page::new);
        if (!page.known && !page.reading) {
            page.reading = true;
            job.onReply(job.wiring.coordination().fires().progress(job.name, fire), (progress, error) -> {
                page.reading = false;
                if (progress == null) {
                    job.rejected();
                } else {
                    page.known = true;
                    page.progress = progress.orElse(null);
                    job.flush = true;
                    job.holds.values().forEach(hold -> hold.quietUntil = Instant.MIN); // it may be due now
                }
                job.advanceSoon();
            });
        }
        return page;
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

    /** Returns the write of a fire's progress that belongs to ended items; null where there is nothing to write. */
    @Nullable FireWrite write(Page page, Map<String, ItemOutcome> ended) {
        Versioned<FireProgress> from = page.progress;
        FireProgress to;
        if (from == null) {
            Trigger trigger = trigger(page.id).orElse(null);
            if (trigger == null) {
                return null; // the progress was deleted by hand, and nobody waits for it
            }
            List<String> keys = ShardingPlan.keys(job.snapshot().plan().total());
            to = FireProgress.begun(trigger, keys).with(ended);
        } else {
            to = from.value().with(ended);
        }
        return from != null && to.equals(from.value())
                ? null
                : new FireWrite(page.id, from, to, to.done() && !page.triggerGone);
    }

    /** The trigger's node is gone, by hand or because the fire has ended elsewhere. */
    void triggerGone(Page page) {
        page.triggerGone = true;
        job.triggers = job.triggers.stream()
                .filter(trigger -> !trigger.fire().id().equals(page.id))
                .toList();
        job.wiring.instance().readTriggers();
    }

    /** Others may have begun what had not begun when it was read, and nothing has told. */
    void doubtUnbegun() {
        pages.values().forEach(page -> page.known &= page.begun());
    }

    /** Nothing is known for sure any more. */
    void doubtAll() {
        pages.values().forEach(page -> page.known = false);
    }

    /** Forgets fires that neither wait nor run here. */
    void forgetOld() {
        Set<String> present = new HashSet<>();
        job.triggers.forEach(trigger -> present.add(trigger.fire().id()));
        for (ItemHold hold : job.holds.values()) {
            if (hold.run != null) {
                present.add(hold.run.claim().fire().id());
            }
        }
        pages.keySet().retainAll(present);
    }
}
