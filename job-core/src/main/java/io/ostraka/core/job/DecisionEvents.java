package io.ostraka.core.job;

import io.ostraka.api.FailoverReason;
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
import io.ostraka.core.model.Unrun;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The events of a decision about one item, kept until the decision's transaction is known to have been made.
 *
 * @param from record that the decision replaces
 * @param to record that it writes
 * @param due the decision
 * @param interruption why the claim in {@code from} did not end; null if it ended
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

    /** Returns true if a record that was read is the one that the decision writes, by its claim's nonce or its decider. */
    boolean wrote(Versioned<ItemRecord> read) {
        return read.version() == Versioned.next(from.version()) && read.value().equals(to);
    }

    /**
     * Publishes them.
     *
     * @param mzxid transaction of the decision
     * @param self id of the instance that decided
     */
    void publish(Events events, String job, String item, long mzxid, String self, Instant now) {
        if (interruption == null) { // fires that an interrupted claim left out were published with that claim
            to.unrun().forEach(unrun -> skipped(events, job, item, unrun, self, now));
        }
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

    private void skipped(Events events, String job, String item, Unrun unrun, String self, Instant now) {
        if (!events.received(FiresSkipped.class)) {
            return;
        }
        Fire trigger = due instanceof Due.Settle settle && settle.fire().triggered() ? settle.fire() : null;
        events.publish(new FiresSkipped(
                job,
                item,
                to.incarnation(),
                trigger == null ? null : trigger.runId(job),
                unrun.from(),
                unrun.to(),
                unrun.count(),
                unrun.reason(),
                trigger == null ? from.value().cursor() : null,
                trigger == null ? to.cursor() : null,
                self,
                now));
    }
}
