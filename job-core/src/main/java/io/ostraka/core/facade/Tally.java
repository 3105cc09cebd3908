package io.ostraka.core.facade;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.metrics.Meters;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireDecision.Interruption;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Unrun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a move of an item's record tells the meters, once it is known to have been made.
 *
 * @param version of the record that it writes
 * @param to the record that it writes
 * @param leftOut what it decides not to run
 * @param misfired whether it claims a fire that is late
 * @param failover why it takes a fire over; null if it doesn't
 */
record Tally(int version, ItemRecord to, List<Unrun> leftOut, boolean misfired, @Nullable FailoverReason failover) {
    /** Returns that of a decision about an item. */
    static Tally of(Versioned<ItemRecord> from, Interruption interruption, Due due, ItemRecord to) {
        boolean interrupted = from.value().unfinished();
        boolean starts = due instanceof Due.Start;
        return new Tally(
                NodeOp.next(from.version()),
                to,
                interrupted ? List.of() : to.unrun(), // what the claim before it left out was told with that
                due instanceof Due.Start start && start.misfired(),
                !interrupted || !starts
                        ? null
                        : interruption == Interruption.CRASHED ? FailoverReason.CRASHED : FailoverReason.HANDED_OVER);
    }

    /** Tells whether a record that was read is the one that it writes: by its claim's nonce, or by who has decided it. */
    boolean wrote(Versioned<ItemRecord> read) {
        return read.version() == version && read.value().equals(to);
    }

    void tell(Meters meters, String job) {
        leftOut.forEach(unrun -> meters.skipped(job, unrun.reason(), unrun.count()));
        if (misfired) {
            meters.misfired(job);
        }
        if (failover != null) {
            meters.failedOver(job, failover);
        }
    }
}
