package io.ostraka.core.job;

import io.ostraka.api.event.ItemWaiting;
import io.ostraka.core.decide.Due;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.Run;
import io.ostraka.core.run.RunSlots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the slots of the process to due items, up to the job's concurrency limit. An item needs a slot to run. Items
 * with the oldest fires get slots first. Of the items that are due for the same fire, those that have not run for the
 * longest time get slots first, so that each item runs even if the job is behind all the time. An item without a slot
 * stays due and is not claimed. Confined to the job's serial executor.
 */
final class Admission {
    private final HostedJobState job;
    private final RunSlots slots;
    /** Items with a due fire that has not started, also those whose claim is pending. */
    private final Map<HostedItem, DueFire> dueFires = new HashMap<>();
    /** Items with a pending claim, each with the pool that gave it a slot. */
    private final Map<HostedItem, RunSlots.Pool> reserved = new HashMap<>();

    /** A due fire that an item has not started yet. Times are in monotonic nanoseconds. */
    private static final class DueFire {
        private final Fire fire;
        /** Time at which this instance found the fire due. */
        private final long since;
        /** Start of the item's wait for a slot; null if it does not wait. */
        private @Nullable Long withoutSlotSince;
        /** True if the fire has found no free slot. */
        private boolean foundNoSlot;

        DueFire(Fire fire, long since) {
            this.fire = fire;
            this.since = since;
        }
    }

    /**
     * Slot of a claimed run.
     *
     * @param pool pool that the slot belongs to
     * @param dueSince time at which this instance found the fire due, in monotonic nanoseconds
     */
    record Slot(RunSlots.Pool pool, long dueSince) {}

    private RunSlots.Pool.Request request;
    private boolean asked;
    private boolean leftOut;
    /** Number of items in line that do not decide in this step. */
    private int postponed;

    private boolean checkScheduled;
    /**
     * Start of the job's wait for a slot, in monotonic nanoseconds; null if the job does not wait. During the wait, the
     * job does not evaluate its due fires.
     */
    private @Nullable Long queuedSince;

    Admission(HostedJobState job) {
        this.job = job;
        this.slots = job.context.slots();
        this.request = slots.pool(job.body.speed()).request(job::advance);
    }

    /**
     * Reserves a slot before the job evaluates its due fires. If a thousand jobs are due at the same time, only the
     * jobs that can start a run evaluate their fires.
     *
     * @return true if the slot is reserved; otherwise the pool makes the job advance as soon as a slot is free
     */
    boolean reserve() {
        if (present().reserveOne()) {
            return true;
        }
        if (queuedSince == null) {
            queuedSince = now();
        }
        checkLater();
        return false;
    }

    /** Records that a fire of an item is due. */
    void due(HostedItem hosted, Fire fire, Instant now) {
        DueFire before = dueFires.get(hosted);
        if (before != null && before.fire.equals(fire)) {
            return;
        }
        Long waiting = before == null ? null : before.withoutSlotSince;
        DueFire due = new DueFire(fire, dueSince(fire, waiting == null ? queuedSince : waiting, now));
        due.withoutSlotSince = waiting;
        dueFires.put(hosted, due);
    }

    /** Records that no fire of an item is due. */
    void notDue(HostedItem hosted) {
        dueFires.remove(hosted);
    }

    /** Records that no item may start. */
    void noneDue() {
        dueFires.clear();
    }

    /**
     * Returns the time at which a fire became due in this instance. This time is before now only if the job or the item
     * has waited for a slot.
     */
    private long dueSince(Fire fire, @Nullable Long waitingSince, Instant now) {
        long found = now();
        if (waitingSince == null) {
            return found;
        }
        long age = Math.max(0, Duration.between(fire.at(), now).toNanos());
        return found - Math.min(age, found - waitingSince);
    }

    /** Returns the due fire that the item starts next; null if no fire is due or its run has started. */
    @Nullable Fire next(HostedItem hosted) {
        DueFire due = dueFires.get(hosted);
        return due == null ? null : due.fire;
    }

    /** Returns whether the item is due and waits for its turn to get a slot. */
    boolean inLine(HostedItem hosted) {
        return hosted.state() instanceof HostedItemState.Idle idle && idle.inLine() && dueFires.containsKey(hosted);
    }

    /** Returns whether the item has waited for a slot for so long that it needs to be reported. */
    boolean waitsLong(HostedItem hosted) {
        DueFire due = dueFires.get(hosted);
        return due != null
                && due.withoutSlotSince != null
                && now() - due.withoutSlotSince >= RunSlots.PATIENCE.toNanos();
    }

    private DueFire dueFire(HostedItem hosted) {
        return Objects.requireNonNull(dueFires.get(hosted), "dueFire");
    }

    /**
     * Returns the items in line whose turn it is in this step, one for each slot that the job can take. The other items
     * in line do not decide in this step, so that a step costs no more when more items wait.
     */
    Set<HostedItem> turn(Collection<HostedItem> inLine) {
        if (inLine.isEmpty()) {
            return Set.of();
        }
        int free = Math.min(Math.min(present().available(), allowance()), inLine.size());
        postponed = inLine.size() - free;
        if (free == 0) {
            return Set.of();
        }
        Comparator<HostedItem> order = order(hosted -> dueFire(hosted).fire);
        PriorityQueue<HostedItem> first = new PriorityQueue<>(order.reversed());
        for (HostedItem hosted : inLine) {
            first.add(hosted);
            if (first.size() > free) {
                first.remove();
            }
        }
        return new HashSet<>(first);
    }

    private static Comparator<HostedItem> order(Function<HostedItem, Fire> fire) {
        return Comparator.<HostedItem, Instant>comparing(
                        hosted -> fire.apply(hosted).at())
                .thenComparing(Admission::lastStart)
                .thenComparing(HostedItem::key, ItemKeys.ORDER);
    }

    private long now() {
        return job.context.platform().clock().monotonicNanos();
    }

    /**
     * Returns the decisions that may be sent now. Takes a slot for each decision to start an item, and leaves out the
     * starts that got no slot.
     */
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
        int allowance = allowance();
        int wanted = Math.min(starts.size(), allowance);
        int free = take(Math.min(starts.size() + postponed, allowance), wanted);
        if (free < starts.size()) {
            starts.sort(order(hosted -> fireOf(dues, hosted)));
        }
        starts.subList(0, free).forEach(hosted -> reserved.put(hosted, request.pool()));
        for (int i = 0; i < wanted; i++) {
            HostedItem hosted = starts.get(i);
            DueFire due = dueFire(hosted);
            if ((i >= free || dueWhileQueued(due)) && !due.foundNoSlot) {
                due.foundNoSlot = true;
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
        noteWaiting(starts.subList(free, wanted));
        starts.subList(free, starts.size()).forEach(HostedItem::standInLine);
        if (free == starts.size()) {
            return dues;
        }
        Map<HostedItem, Due> admitted = new LinkedHashMap<>(dues);
        starts.subList(free, starts.size()).forEach(admitted::remove);
        return admitted;
    }

    private static Fire fireOf(Map<HostedItem, Due> dues, HostedItem hosted) {
        return ((Due.Start) Objects.requireNonNull(dues.get(hosted), "due")).fire();
    }

    private static Instant lastStart(HostedItem hosted) {
        Run last = hosted.known().value().run();
        return last == null ? Instant.MIN : last.startedAt();
    }

    private boolean dueWhileQueued(DueFire due) {
        return (queuedSince != null || due.withoutSlotSince != null) && due.since < now();
    }

    /** Records that items wait for a slot, and schedules an advance that reports a long wait. */
    private void noteWaiting(List<HostedItem> items) {
        for (HostedItem hosted : items) {
            DueFire due = dueFire(hosted);
            if (due.withoutSlotSince == null) {
                due.withoutSlotSince = queuedSince == null ? now() : queuedSince;
            }
        }
        if (!items.isEmpty()) {
            checkLater();
        }
    }

    private void checkLater() {
        if (!checkScheduled) {
            job.later(RunSlots.PATIENCE, () -> {
                checkScheduled = false;
                job.advance();
            });
            checkScheduled = true;
        }
    }

    private int take(int wanted, int most) {
        asked |= wanted > 0;
        int got = present().take(wanted, most);
        leftOut |= got < wanted;
        return got;
    }

    /**
     * Returns the job's request for a slot. Quick and slow jobs have separate pools. If the job has changed its speed
     * since the last call, the request moves to the other pool.
     */
    private RunSlots.Pool.Request present() {
        RunSlots.Pool pool = slots.pool(job.body.speed());
        if (request.pool() != pool) {
            request.withdraw();
            request = pool.request(job::advance);
        }
        return request;
    }

    /** Returns the number of further items of the job that may start under the concurrency limit. */
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

    /** Releases the slot of an item after its claim has failed. */
    void revoke(HostedItem hosted) {
        RunSlots.Pool slot = reserved.remove(hosted);
        if (slot != null) {
            slot.release();
        }
    }

    /**
     * Releases all slots without a run. Called after a step has failed: a claim that was sent takes another slot when
     * its run starts.
     */
    void revokeAll() {
        List.copyOf(reserved.keySet()).forEach(this::revoke);
    }

    /** Gives up the job's place in line, and its reserved slots. Called when the job has ended in this process. */
    void end() {
        request.withdraw();
    }

    /**
     * Returns the slot of a claimed run that starts now. If the reply to the claim was lost, the slot was released
     * already. The run then takes another slot, even if none is free.
     */
    Slot start(HostedItem hosted) {
        DueFire due = dueFires.remove(hosted);
        RunSlots.Pool pool = reserved.remove(hosted);
        if (pool == null) {
            pool = slots.pool(job.body.speed());
            pool.takeUnasked();
        }
        return new Slot(pool, due == null ? now() : due.since);
    }

    /** Called at the end of each step of the job. A reserved slot that the step did not use goes to other jobs. */
    void settle() {
        if (!asked && postponed > 0) {
            take(Math.min(postponed, allowance()), 0); // the items in line still want slots
        }
        postponed = 0;
        if (!asked) {
            request.withdraw();
        } else if (leftOut && !request.pending()) {
            job.advance(); // a later take() in this step ended the wait that an earlier take() began
        }
        if (!leftOut) {
            queuedSince = null;
        }
        asked = false;
        leftOut = false;
        if (dueFires.size() > job.items.size()) {
            dueFires.keySet().retainAll(job.items.values()); // items that another instance owns now
        }
    }
}
