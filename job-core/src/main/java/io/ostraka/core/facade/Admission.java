package io.ostraka.core.facade;

import io.ostraka.core.decide.Due;
import io.ostraka.core.execution.ItemExecutor;
import io.ostraka.core.execution.JobBody;
import io.ostraka.core.execution.Room;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Lets as many of a job's due items start as the job may run at once and the process has room for, those of the oldest fires
 * first; the others stay due, and nothing of them is claimed. Confined to the job's lane.
 */
final class Admission {
    private final JobState job;
    private final ItemExecutor executor;
    private final JobBody body;
    private final Runnable told;
    private Room.Guest guest;
    private boolean asked;
    private boolean leftOut;
    private boolean looking;

    /**
     * @param told called on any thread when there is room for what was left out; must only enqueue
     */
    Admission(JobState job, ItemExecutor executor, JobBody body, Runnable told) {
        this.job = job;
        this.executor = executor;
        this.body = body;
        this.told = told;
        this.guest = executor.room(body).guest(told);
    }

    /** Returns those that may be sent now, each start with a place. */
    Map<ItemHold, Due> admit(Map<ItemHold, Due> dues) {
        Map<ItemHold, Due> admitted = new LinkedHashMap<>(dues);
        List<ItemHold> starts = dues.keySet().stream()
                .filter(hold -> dues.get(hold) instanceof Due.Start)
                .sorted(Comparator.comparing(hold -> ((Due.Start) Objects.requireNonNull(dues.get(hold), "due"))
                        .fire()
                        .at()))
                .toList();
        int wanted = Math.min(starts.size(), allowance());
        int places = starts.isEmpty() ? 0 : take(wanted);
        starts.subList(0, places).forEach(hold -> hold.place = guest.room());
        noteWaiting(starts.subList(places, wanted));
        starts.subList(places, starts.size()).forEach(admitted::remove);
        return admitted;
    }

    /** They wait for a place; nobody tells when that has taken long. */
    private void noteWaiting(List<ItemHold> holds) {
        holds.forEach(hold -> hold.waitsForPlace(job.wiring.platform().clock().monotonicNanos()));
        if (!holds.isEmpty() && !looking) {
            looking = true;
            job.later(ItemExecutor.PATIENCE, () -> {
                looking = false;
                job.advance();
            });
        }
    }

    private int take(int wanted) {
        Room room = executor.room(body);
        if (guest.room() != room) {
            guest.leave();
            guest = room.guest(told);
        }
        asked |= wanted > 0;
        int got = guest.take(wanted);
        leftOut |= got < wanted;
        return got;
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
    void revoke(ItemHold hold) {
        if (hold.place != null) {
            hold.place.release();
            hold.place = null;
        }
    }

    /** Returns where the run of a claim has its place; one whose claim was in doubt begins without asking. */
    Room placeOf(ItemHold hold) {
        Room place = hold.place;
        if (place == null) {
            place = executor.room(body);
            place.squeezeIn();
        }
        hold.place = null;
        return Objects.requireNonNull(place, "place");
    }

    /** All that can be done now is done: what was kept for the job and not asked for is others'. */
    void settle() {
        if (!asked) {
            guest.leave();
        } else if (leftOut && !guest.waits()) {
            told.run(); // there was room for the last that asked, and may be for those before it
        }
        asked = false;
        leftOut = false;
    }
}
