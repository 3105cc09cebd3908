package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Unrun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is to be done about one item now. */
public sealed interface Due {
    /**
     * Nothing, for now.
     *
     * @param wakeAt when a fire comes up; empty when none will by itself
     */
    record Nothing(Optional<Instant> wakeAt) implements Due {}

    /**
     * A fire is to be claimed and run.
     *
     * @param fire which
     * @param total how many items it is split into
     * @param attempt at this fire, from 1
     * @param crashes owners that died running it
     * @param busySince since when the item has worked off fires without a pause
     * @param cursor the latest scheduled fire decided on the way to it
     * @param unrun what was left out on the way to it
     * @param misfired whether it is scheduled, was not overlapped, and is not on time
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
        /** Starts one that is not misfired. */
        public Start(
                Fire fire, int total, int attempt, int crashes, Instant busySince, Instant cursor, List<Unrun> unrun) {
            this(fire, total, attempt, crashes, busySince, cursor, unrun, false);
        }
    }

    /**
     * A fire is over without being run.
     *
     * @param fire which
     * @param to what the item's record becomes
     * @param outcome what the fire's progress is told
     */
    record Settle(Fire fire, ItemRecord to, ItemOutcome outcome) implements Due {}
}
