package io.ostraka.core.job;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.RunLost;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.event.Events;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events of a decision about one item. They are published only after ZooKeeper has accepted the decision.
 *
 * @param from record before the decision
 * @param to record that the decision writes
 * @param due the decision
 * @param interruption reason why the run in {@code from} was interrupted; null if the run ended or if there is no run
 */
record DecisionEvents(Versioned<ItemRecord> from, ItemRecord to, Due due, @Nullable FailoverReason interruption) {
    static DecisionEvents of(Versioned<ItemRecord> from, Interruption interruption, Due due, ItemRecord to) {
        return new DecisionEvents(
                from,
                to,
                due,
                !from.value().unfinished()
                        ? null
                        : interruption == Interruption.CRASHED ? FailoverReason.CRASHED : FailoverReason.HANDED_OVER);
    }

    /**
     * Returns whether a record that was read is the record that this decision wrote. The decision's record is unique,
     * because it contains the nonce of the claim or the id of the deciding instance.
     */
    boolean wrote(Versioned<ItemRecord> read) {
        return read.version() == Versioned.next(from.version()) && read.value().equals(to);
    }

    /** Returns the fires that the decision skips. */
    private List<Skipped> skipped() {
        return interruption == null
                ? to.skipped()
                : List.of(); // an interrupted run's claim has skipped its fires before
    }

    /**
     * Returns the skipped fires that the item could not start in time. These are the misfires and, after the death of
     * an instance that ran the item, the overlapped fires.
     */
    List<Skipped> skippedLate() {
        Run last = from.value().run();
        boolean died = last != null && (last.crashes() > 0 || from.value().outcome() == ItemOutcome.INTERRUPTED);
        return skipped().stream()
                .filter(skipped -> switch (skipped.reason()) {
                    case MISFIRED -> true;
                    case OVERLAPPED, COALESCED -> died;
                    default -> false;
                })
                .toList();
    }

    /**
     * Publishes the events of the decision. These are the skipped fires, and possibly a claim, a takeover or a lost
     * run.
     *
     * @param mzxid ZooKeeper transaction id of the decision
     * @param self id of the instance that made the decision
     */
    void publish(Events events, String job, String item, long mzxid, String self, Instant now) {
        Skipped.parts(skipped(), from.value().cursor(), to.cursor())
                .forEach(part -> skipped(events, job, item, part, self, now));
        if (due instanceof Due.Start start) {
            claimed(events, job, item, start, mzxid, now);
        } else if (interruption != null && to.outcome() != null && events.received(RunLost.class)) {
            events.publish(new RunLost(from.value().claim(job, item, from.mzxid()), to.outcome(), self, now));
        }
    }

    private void claimed(Events events, String job, String item, Due.Start start, long mzxid, Instant now) {
        if (!events.received(ItemClaimed.class) && !events.received(ItemTakenOver.class)) {
            return;
        }
        Claim claim = to.claim(job, item, mzxid);
        events.publish(new ItemClaimed(claim, from.value().cursor(), start.misfired(), now));
        if (interruption != null) {
            events.publish(new ItemTakenOver(claim, from.value().claim(job, item, from.mzxid()), interruption, now));
        }
    }

    private void skipped(Events events, String job, String item, Skipped.Part part, String self, Instant now) {
        if (!events.received(FiresSkipped.class)) {
            return;
        }
        Fire trigger = due instanceof Due.Settle settle && settle.fire().triggered() ? settle.fire() : null;
        events.publish(new FiresSkipped(
                job,
                item,
                to.incarnation(),
                trigger == null ? to.openedIn(to.incarnation()) : null,
                trigger == null ? null : trigger.runId(job),
                part.fires().from(),
                part.fires().to(),
                part.fires().count(),
                part.fires().reason(),
                trigger == null ? part.after() : null,
                trigger == null ? part.upTo() : null,
                self,
                now));
    }
}
