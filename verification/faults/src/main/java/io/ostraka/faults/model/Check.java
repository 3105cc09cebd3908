package io.ostraka.faults.model;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Models that are small enough for the faults lane of the tests. Each covers behaviour that the models before it do not
 * cover.
 */
enum Check {
    CLAIM(without -> new ClaimModel(new ClaimModel.Size(2, 2, 1, 2, true, false), without)),
    CLAIM_WITHOUT_FAILOVER(without -> new ClaimModel(new ClaimModel.Size(2, 2, 1, 2, false, false), without)),
    CLAIM_STOPPED(without -> new ClaimModel(new ClaimModel.Size(2, 2, 1, 2, true, true), without)),
    CLAIM_STOPPED_WITHOUT_FAILOVER(without -> new ClaimModel(new ClaimModel.Size(2, 2, 1, 2, false, true), without)),
    ONE_PROCESS_TWO_FIRES(without -> new ClaimModel(new ClaimModel.Size(1, 2, 2, 2, true, true), without)),
    MORE_ITEMS(without -> change(List.of(1, 2), 1, ChangeModel.Failover.ON, without)),
    MORE_ITEMS_TWO_TRIGGERS(without -> change(List.of(1, 2), 2, ChangeModel.Failover.ON, without)),
    FEWER_ITEMS(without -> change(List.of(2, 1), 1, ChangeModel.Failover.ON, without)),
    FEWER_ITEMS_WITHOUT_FAILOVER(without -> change(List.of(2, 1), 1, ChangeModel.Failover.OFF, without)),
    FEWER_ITEMS_FAILOVER_TOGGLED(without -> change(List.of(2, 1), 0, ChangeModel.Failover.TOGGLED, without)),
    FEWER_ITEMS_TWO_TRIGGERS(without -> change(List.of(2, 1), 2, ChangeModel.Failover.ON, without)),
    FEWER_ITEMS_RERUN(without -> rerun(List.of(2, 1), 1, without)),
    MORE_ITEMS_SKIP(without -> skip(List.of(1, 2), 1, ChangeModel.Failover.ON, without)),
    FEWER_ITEMS_SKIP(without -> skip(List.of(2, 1), 1, ChangeModel.Failover.TOGGLED, without)),
    FEWER_AND_MORE_SKIP(without -> skip(List.of(2, 1, 2), 0, ChangeModel.Failover.ON, without)),
    MORE_ITEMS_TWO_RERUNS(without -> rerun(List.of(1, 2), 2, without)),
    FEWER_AND_MORE_RERUN(without -> rerun(List.of(2, 1, 2), 1, without)),
    FEWER_AND_MORE(without -> change(List.of(2, 1, 2), 1, ChangeModel.Failover.ON, without)),
    FEWER_AND_MORE_TWO_TRIGGERS(without -> change(List.of(2, 1, 2), 2, ChangeModel.Failover.ON, without)),
    FEWER_AND_MORE_FAILOVER_TOGGLED(without -> change(List.of(2, 1, 2), 1, ChangeModel.Failover.TOGGLED, without)),
    MORE_AND_FEWER(without -> change(List.of(1, 2, 1), 1, ChangeModel.Failover.ON, without)),
    FEWER_AND_MORE_NO_TRIGGER(without -> change(List.of(2, 1, 2), 0, ChangeModel.Failover.ON, without)),
    ONCE(without -> new OnceModel(new OnceModel.Scenario(3, 3, true), without)),
    ONCE_WITHOUT_FAILOVER(without -> new OnceModel(new OnceModel.Scenario(3, 3, false), without)),
    ONCE_ONE_LISTENING(without -> new OnceModel(new OnceModel.Scenario(3, 1, true), without)),
    BACKFILL(without -> backfill(1, 1, false, true, without)),
    BACKFILL_TWO_FAILURES(without -> backfill(1, 2, false, true, without)),
    BACKFILL_TWO_IN_FLIGHT(without -> backfill(2, 1, false, true, without)),
    BACKFILL_TWO_IN_FLIGHT_TWO_FAILURES(without -> backfill(2, 2, false, true, without)),
    BACKFILL_PURGED(without -> backfill(1, 1, true, true, without)),
    BACKFILL_WITHOUT_EPOCH(without -> backfill(1, 1, false, false, without)),
    DELAYED(without -> new DelayedModel(new DelayedModel.Scenario(2, false, true), without)),
    DELAYED_SWEPT(without -> new DelayedModel(new DelayedModel.Scenario(2, true, true), without)),
    DELAYED_SWEPT_WITHOUT_EPOCH(without -> new DelayedModel(new DelayedModel.Scenario(2, true, false), without)),
    OVERRIDE(without -> new OverrideModel(new OverrideModel.Scenario(2, false, true), without)),
    OVERRIDE_WITHOUT_EPOCH(without -> new OverrideModel(new OverrideModel.Scenario(2, false, false), without)),
    OVERRIDE_PURGED(without -> new OverrideModel(new OverrideModel.Scenario(2, true, true), without)),
    HISTORY(without -> new HistoryModel(new HistoryModel.Scenario(3, true), without)),
    HISTORY_LATE(without -> new HistoryModel(new HistoryModel.Scenario(3, false), without)),
    ALARM(without -> new AlarmModel(new AlarmModel.Scenario(3), without));

    private final Function<Set<Rule>, Model<?>> model;

    Check(Function<Set<Rule>, Model<?>> model) {
        this.model = model;
    }

    private static Model<?> change(
            List<Integer> totals, int triggers, ChangeModel.Failover failover, Set<Rule> without) {
        return new ChangeModel(new ChangeModel.Scenario(totals, triggers, failover, false, false), without);
    }

    private static Model<?> skip(List<Integer> totals, int triggers, ChangeModel.Failover failover, Set<Rule> without) {
        return new ChangeModel(new ChangeModel.Scenario(totals, triggers, failover, false, true), without);
    }

    private static Model<?> rerun(List<Integer> totals, int triggers, Set<Rule> without) {
        return new ChangeModel(
                new ChangeModel.Scenario(totals, triggers, ChangeModel.Failover.ON, true, false), without);
    }

    private static Model<?> backfill(int most, int failures, boolean purges, boolean epoch, Set<Rule> without) {
        return new BackfillModel(new BackfillModel.Scenario(3, most, failures, purges, epoch), without);
    }

    /** Returns the model without some rules. */
    Model<?> without(Set<Rule> rules) {
        return model.apply(rules);
    }
}
