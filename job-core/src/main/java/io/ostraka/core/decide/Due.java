package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Unrun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The next step for one item. */
public sealed interface Due {
    /**
     * No step is due.
     *
     * @param wakeAt instant of the next fire; empty if there is none by schedule
     */
    record Nothing(Optional<Instant> wakeAt) implements Due {}

    /**
     * Claims and runs a fire.
     *
     * @param fire the fire to be claimed
     * @param total number of items that the fire is split into
     * @param attempt number of the attempt at this fire, from 1
     * @param crashes number of owners that died running it
     * @param busySince instant since which the item has worked through fires without a pause
     * @param cursor the latest scheduled fire that the claim decides
     * @param unrun fires that the claim skips
     * @param misfired whether the fire is scheduled, not overlapped and not on time
     */
    record Start(
            Fire fire,
            int total,
            int attempt,
            int crashes,
            Instant busySince,
            Instant cursor,
            List<Unrun> unrun,
            boolean misfired)
            implements Due {
        /** Creates the start of a fire that is not misfired. */
        public Start(
                Fire fire, int total, int attempt, int crashes, Instant busySince, Instant cursor, List<Unrun> unrun) {
            this(fire, total, attempt, crashes, busySince, cursor, unrun, false);
        }
    }

    /**
     * Ends a fire without running it.
     *
     * @param fire the fire that ends
     * @param to the item's next record
     * @param outcome the item's outcome in the progress of the fire
     */
    record Settle(Fire fire, ItemRecord to, ItemOutcome outcome) implements Due {}
}
