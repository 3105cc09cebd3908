package io.ostraka.core.decide;

import io.ostraka.api.JobHealth;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ShardingPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The next step for a job's plan. */
public sealed interface PlanDecision {
    /** Keeps the plan: it is as wanted, or a change of it waits. */
    record Keep() implements PlanDecision {}

    /**
     * Writes the plan, records, or both.
     *
     * @param plan the next plan; null to leave the present one
     * @param records the next records by item, in order; missing ones are created. At most {@link Planning#BATCH} with a
     *     plan; without a plan any number, written in batches
     */
    record Write(@Nullable ShardingPlan plan, Map<String, ItemRecord> records) implements PlanDecision {}

    /**
     * Keeps the plan in force, because no valid plan can be made.
     *
     * @param kind kind of the problem
     * @param reason explanation for operators
     */
    record Refuse(JobHealth.Kind kind, String reason) implements PlanDecision {}
}
