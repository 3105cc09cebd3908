package io.ostraka.core.decide;

import io.ostraka.api.JobHealth;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ShardingPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decision about the next step for a job's plan. */
public sealed interface PlanDecision {
    /** Keeps the plan, because it is up to date or because a change of the plan must wait. */
    record Keep() implements PlanDecision {}

    /**
     * Writes the plan, records, or both.
     *
     * @param plan the next plan; null to keep the current plan
     * @param records the next records by item, in the order of writing. Records that do not exist are created. If there
     *     is a plan, there are at most {@link Planning#BATCH} records, because they are written in the plan's
     *     transaction. If there is none, there may be more records, which are written in batches
     */
    record Write(@Nullable ShardingPlan plan, Map<String, ItemRecord> records) implements PlanDecision {}

    /**
     * Keeps the current plan, because no valid new plan can be made.
     *
     * @param kind kind of the problem
     * @param reason explanation for operators
     */
    record Refuse(JobHealth.Kind kind, String reason) implements PlanDecision {}
}
