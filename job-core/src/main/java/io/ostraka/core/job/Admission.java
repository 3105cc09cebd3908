package io.ostraka.core.job;

import io.ostraka.api.event.ItemWaiting;
import io.ostraka.core.decide.Due;
import io.ostraka.core.model.Fire;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.run.RunSlots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
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
    private final JobBody body;
    private final Runnable served;
    private RunSlots.Pool.Request request;
    private boolean asked;
    private boolean leftOut;
    private boolean looking;
    /** Since when it waits for a place without having looked what is due, monotonic; null when it doesn't. */
    private @Nullable Long knockedSince;

    /**
     * @param served called on any thread when a slot is free for an item that was left out; must only enqueue
     */
    Admission(JobState job, JobBody body, Runnable served) {
        this.job = job;
        this.slots = job.context.slots();
        this.body = body;
        this.served = served;
        this.request = slots.pool(body.speed()).request(served);
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
        dues.forEach((hold, due) -> {
            if (due instanceof Due.Start) {
                starts.add(hold);
            }
        });
        if (starts.isEmpty()) {
            return dues;
        }
        starts.sort(Comparator.comparing(hold -> fireOf(dues, hold).at()));
        int wanted = Math.min(starts.size(), allowance());
        int places = take(wanted);
        for (int i = 0; i < wanted; i++) {
            HostedItem hold = starts.get(i);
            if ((i >= places || waitedUnseen(hold)) && hold.foundNoPlace(fireOf(dues, hold))) {
                job.context
                        .events()
                        .publish(new ItemWaiting(
                                job.name,
                                hold.item,
                                fireOf(dues, hold).runId(job.name),
                                job.session().instanceId(),
                                job.context.platform().clock().now()));
            }
        }
        starts.subList(0, places).forEach(hold -> hold.place = request.pool());
        noteWaiting(starts.subList(places, wanted));
        if (places == starts.size()) {
            return dues;
        }
        Map<HostedItem, Due> admitted = new LinkedHashMap<>(dues);
        starts.subList(places, starts.size()).forEach(admitted::remove);
        return admitted;
    }

    private static Fire fireOf(Map<HostedItem, Due> dues, HostedItem hold) {
        return ((Due.Start) Objects.requireNonNull(dues.get(hold), "due")).fire();
    }

    /** Whether it was due already while the job waited for a place without having looked. */
    private boolean waitedUnseen(HostedItem hold) {
        return knockedSince != null && hold.dueSince() < now();
    }

    /** They wait for a place; nobody tells when that has taken long. */
    private void noteWaiting(List<HostedItem> holds) {
        holds.forEach(hold -> hold.waitsForPlace(knockedSince == null ? now() : knockedSince));
        if (!holds.isEmpty()) {
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
        RunSlots.Pool pool = slots.pool(body.speed());
        if (request.pool() != pool) {
            request.withdraw();
            request = pool.request(served);
        }
        return request;
    }

    /** How many more of the job's items may run at once. */
    private int allowance() {
        int limit = job.snapshot().configuration().concurrency();
        if (limit == 0) {
            return Integer.MAX_VALUE;
        }
        int running = (int) job.holds.values().stream()
                .filter(hold -> hold.place != null || (hold.run != null && hold.end == null))
                .count();
        return Math.max(0, limit - running);
    }

    /** A claim didn't come about: its place is free again. */
    void revoke(HostedItem hold) {
        if (hold.place != null) {
            hold.place.release();
            hold.place = null;
        }
    }

    /** Returns where the run of a claim has its place; one whose claim was in doubt begins without asking. */
    RunSlots.Pool placeOf(HostedItem hold) {
        RunSlots.Pool place = hold.place;
        if (place == null) {
            place = slots.pool(body.speed());
            place.takeUnasked();
        }
        hold.place = null;
        return Objects.requireNonNull(place, "place");
    }

    /** All that can be done now is done: what was kept for the job and not asked for is others'. */
    void settle() {
        if (!asked) {
            request.withdraw();
        } else if (leftOut && !request.pending()) {
            served.run(); // there was room for the last that asked, and may be for those before it
        }
        if (!leftOut) {
            knockedSince = null;
        }
        asked = false;
        leftOut = false;
    }
}
