package io.ostraka.core.decide;

import io.ostraka.api.JobHealth;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ShardingPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the leader is to do about a job's plan. */
public sealed interface PlanDecision {
    /** Nothing: all is as it should be, or is waited for. */
    record Keep() implements PlanDecision {}

    /**
     * Write.
     *
     * @param plan what the plan becomes; null to leave it
     * @param records what records become, by item, in order; those that don't exist are created. At most {@link
     *     Planning#BATCH} with a plan; without one they may be many, and are written batch after batch
     */
    record Write(@Nullable ShardingPlan plan, Map<String, ItemRecord> records) implements PlanDecision {}

    /**
     * The plan in force stays, because there is no better one to be had.
     *
     * @param kind why
     * @param reason the same for people
     */
    record Refuse(JobHealth.Kind kind, String reason) implements PlanDecision {}
}
