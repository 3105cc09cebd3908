package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.util.Optional;

/**
 * Decides about an interrupted fire, which its owner claimed but did not finish: it runs again or ends. {@link
 * Reservations} decides about the instance that owns an item. With failover, the item's new owner
 * runs the fire again. If too many owners have crashed during this fire, the item is quarantined instead. Without
 * failover, the fire ends as interrupted. The fire also ends as interrupted if the item is disabled or the job is being
 * removed. A fire that an operator has stopped ends as cancelled.
 */
final class Takeover {
    private Takeover() {}

    /** Returns the next step: run the fire again, or end it. */
    static Due decide(FireSituation situation, Run run) {
        ItemRecord record = situation.record();
        JobConfiguration configuration = situation.snapshot().configuration();
        ShardingPlan.Change change = situation.snapshot().plan().change();
        Optional<FireStop> stop = situation.stop(run.fire());
        if (stop.isPresent()) {
            String error = stop.get().text() + "; its owner " + run.owner() + " had left it unfinished";
            return new Due.Settle(
                    run.fire(), record.completed(situation.now(), ItemOutcome.CANCELLED, error), ItemOutcome.CANCELLED);
        }
        int crashes = run.crashes() + (situation.interruption() == FireSituation.Interruption.CRASHED ? 1 : 0);
        if (!configuration.failover()
                || situation.snapshot().disabled(situation.item())
                || (change != null && change.target() == 0)) {
            String error = "owner " + run.owner() + " ended during the run";
            return new Due.Settle(
                    run.fire(),
                    record.completed(situation.now(), ItemOutcome.INTERRUPTED, error),
                    ItemOutcome.INTERRUPTED);
        }
        if (crashes >= configuration.maxAttempts()) {
            String error = crashes + " instances died running this fire, most recently " + run.owner();
            return new Due.Settle(run.fire(), record.quarantined(situation.now(), error), ItemOutcome.CRASHED);
        }
        return new Due.Start(
                run.fire(),
                run.total(),
                run.attempt() + 1,
                crashes,
                run.busySince(),
                record.cursor(),
                record.skipped());
    }
}
