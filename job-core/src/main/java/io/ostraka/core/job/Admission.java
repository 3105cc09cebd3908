package io.ostraka.core.job;

import io.ostraka.api.event.ItemWaiting;
import io.ostraka.core.decide.Due;
import io.ostraka.core.model.Fire;
import io.ostraka.core.run.RunSlots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets as many of a job's due items start as the job may run at once and the process has room for, those of the oldest fires
 * first; the others stay due, and nothing of them is claimed. Confined to the job's lane.
 */
final class Admission {
    private final JobState job;
    private final RunSlots slots;
    /** Pools of the slots that are taken for claims under way. */
    private final Map<HostedItem, RunSlots.Pool> reserved = new HashMap<>();

    private RunSlots.Pool.Request request;
    private boolean asked;
    private boolean leftOut;
    private boolean looking;
    /** Since when it waits for a place without having looked what is due, monotonic; null when it doesn't. */
    private @Nullable Long knockedSince;

    Admission(JobState job) {
        this.job = job;
        this.slots = job.context.slots();
        this.request = slots.pool(job.body.speed()).request(job::advance);
    }

    /**
     * Something has come due, and what that is can wait until there is room for any of it: a thousand jobs that come due
     * together while there is room for ten are not all looked at twice.
     *
     * @return whether there is; if not, the job is told when there is
     */
    boolean knock() {
        if (present().reserveOne()) {
            return true;
        }
        if (knockedSince == null) {
            knockedSince = now();
        }
        lookLater();
        return false;
    }

    /** Returns since when a fire that is found due now has been due here, monotonic. */
    long dueSince(Fire fire, Instant now) {
        long found = now();
        if (knockedSince == null) {
            return found;
        }
        long age = Math.max(0, Duration.between(fire.at(), now).toNanos());
        return found - Math.min(age, found - knockedSince);
    }

    private long now() {
        return job.context.platform().clock().monotonicNanos();
    }

    /** Returns those that may be sent now, each start with a place. */
    Map<HostedItem, Due> admit(Map<HostedItem, Due> dues) {
        List<HostedItem> starts = new ArrayList<>();
        dues.forEach((hosted, due) -> {
            if (due instanceof Due.Start) {
                starts.add(hosted);
            }
        });
        if (starts.isEmpty()) {
            return dues;
        }
        starts.sort(Comparator.comparing(hosted -> fireOf(dues, hosted).at()));
        int wanted = Math.min(starts.size(), allowance());
        int places = take(wanted);
        for (int i = 0; i < wanted; i++) {
            HostedItem hosted = starts.get(i);
            if ((i >= places || waitedUnseen(hosted)) && hosted.foundNoSlot(fireOf(dues, hosted))) {
                job.context
                        .events()
                        .publish(new ItemWaiting(
                                job.name,
                                hosted.key(),
                                fireOf(dues, hosted).runId(job.name),
                                job.session().instanceId(),
                                job.context.platform().clock().now()));
            }
        }
        starts.subList(0, places).forEach(hosted -> reserved.put(hosted, request.pool()));
        noteWaiting(starts.subList(places, wanted));
        if (places == starts.size()) {
            return dues;
        }
        Map<HostedItem, Due> admitted = new LinkedHashMap<>(dues);
        starts.subList(places, starts.size()).forEach(admitted::remove);
        return admitted;
    }

    private static Fire fireOf(Map<HostedItem, Due> dues, HostedItem hosted) {
        return ((Due.Start) Objects.requireNonNull(dues.get(hosted), "due")).fire();
    }

    /** Whether it was due already while the job waited for a place without having looked. */
    private boolean waitedUnseen(HostedItem hosted) {
        return knockedSince != null && hosted.dueSince() < now();
    }

    /** They wait for a place; nobody tells when that has taken long. */
    private void noteWaiting(List<HostedItem> items) {
        items.forEach(hosted -> hosted.waitsForSlot(knockedSince == null ? now() : knockedSince));
        if (!items.isEmpty()) {
            lookLater();
        }
    }

    private void lookLater() {
        if (!looking) {
            job.later(RunSlots.PATIENCE, () -> {
                looking = false;
                job.advance();
            });
            looking = true;
        }
    }

    private int take(int wanted) {
        asked |= wanted > 0;
        int got = present().take(wanted);
        leftOut |= got < wanted;
        return got;
    }

    /** Returns the job's request, in the pool for its next run. */
    private RunSlots.Pool.Request present() {
        RunSlots.Pool pool = slots.pool(job.body.speed());
        if (request.pool() != pool) {
            request.withdraw();
            request = pool.request(job::advance);
        }
        return request;
    }

    /** How many more of the job's items may run at once. */
    private int allowance() {
        int limit = job.snapshot().configuration().concurrency();
        if (limit == 0) {
            return Integer.MAX_VALUE;
        }
        int running = (int) job.items.values().stream()
                .filter(hosted -> hosted.executing() != null)
                .count();
        return Math.max(0, limit - running - reserved.size());
    }

    /** A claim didn't come about: its place is free again. */
    void revoke(HostedItem hosted) {
        RunSlots.Pool slot = reserved.remove(hosted);
        if (slot != null) {
            slot.release();
        }
    }

    /** Returns where the run of a claim has its place; one whose claim was in doubt begins without asking. */
    RunSlots.Pool slotOf(HostedItem hosted) {
        RunSlots.Pool slot = reserved.remove(hosted);
        if (slot == null) {
            slot = slots.pool(job.body.speed());
            slot.takeUnasked();
        }
        return slot;
    }

    /** All that can be done now is done: what was kept for the job and not asked for is others'. */
    void settle() {
        if (!asked) {
            request.withdraw();
        } else if (leftOut && !request.pending()) {
            job.advance(); // there was room for the last that asked, and may be for those before it
        }
        if (!leftOut) {
            knockedSince = null;
        }
        asked = false;
        leftOut = false;
    }
}
