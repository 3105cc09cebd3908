package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Skipped;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Decision about the next step of one item. */
public sealed interface Due {
    /**
     * The owner does nothing now.
     *
     * @param wakeAt time of the next scheduled fire, including the item's jitter; empty if there is none
     * @param skipping misfires that no policy keeps, so that the item's next claim skips them
     */
    record Nothing(Optional<Instant> wakeAt, List<Skipped> skipping) implements Due {
        /** Creates the decision for an item that has no misfires. */
        public Nothing(Optional<Instant> wakeAt) {
            this(wakeAt, List.of());
        }
    }

    /**
     * The owner claims and runs a fire.
     *
     * @param fire the fire to claim
     * @param total number of items that the fire is split into
     * @param attempt number of the attempt at this fire, from 1
     * @param crashes number of owners that crashed while they ran this fire
     * @param busySince start of the item's uninterrupted series of runs, see {@link
     *     io.ostraka.core.model.Run#busySince()}
     * @param cursor the record's new cursor: the item has claimed or skipped all scheduled fires up to this time
     * @param skipped fires that the claim skips
     * @param misfired true for a scheduled fire that is late, but not because the item was running when the fire became
     *     due
     */
    record Start(
            Fire fire,
            int total,
            int attempt,
            int crashes,
            Instant busySince,
            Instant cursor,
            List<Skipped> skipped,
            boolean misfired)
            implements Due {
        /** Creates a start of a fire that is not misfired. */
        public Start(
                Fire fire,
                int total,
                int attempt,
                int crashes,
                Instant busySince,
                Instant cursor,
                List<Skipped> skipped) {
            this(fire, total, attempt, crashes, busySince, cursor, skipped, false);
        }
    }

    /**
     * The owner ends a fire without running it.
     *
     * @param fire the fire that ends
     * @param to the item's new record
     * @param outcome the item's outcome, as the progress of the fire records it
     */
    record Settle(Fire fire, ItemRecord to, ItemOutcome outcome) implements Due {}
}
