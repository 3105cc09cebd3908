package io.ostraka.core.decide;

import io.ostraka.api.Scope;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.PlacementReasons.Cause;
import io.ostraka.core.model.ShardingPlan;
import java.util.List;
import java.util.Map;

/**
 * Explains in one sentence which instance owns an item and why. All facts come from the plan, except that the override
 * shows whether an instance of a broadcast job is disabled.
 */
public final class Explanation {
    private Explanation() {}

    /**
     * Returns the explanation for operators.
     *
     * @param item key of an item; may be a key that the job does not have
     * @param override the operators' override of the job
     */
    public static String of(String job, String item, ShardingPlan plan, JobOverride override) {
        String subject = "item " + item + " of job '" + job + "' ";
        for (Map.Entry<String, List<String>> entry : plan.items().entrySet()) {
            if (entry.getValue().contains(item)) {
                return subject + "is on " + entry.getKey() + ": "
                        + (plan.scope() == Scope.BROADCAST
                                ? "it is the item of that instance"
                                : reason(item, plan.grounds()));
            }
        }
        if (!ShardingPlan.numbered(plan.scope())) {
            boolean broadcast = plan.scope() == Scope.BROADCAST;
            return subject + "is not one of its items: scope " + plan.scope() + " has one item for each "
                    + (broadcast ? "instance" : "zone") + " that takes part"
                    + (broadcast && override.disables(item) ? ", and this one is disabled by an operator" : "");
        }
        if (!plan.keys().contains(item)) {
            return subject + "is not one of its items; item count: " + plan.total();
        }
        String wait = PlacementReasons.byItem(plan.grounds().awaited()).getOrDefault(item, "");
        return subject + "has no owner: "
                + Reservations.restart(wait)
                        .orElse(PlacementReasons.byItem(plan.grounds().unplaced())
                                .getOrDefault(item, "no instance works for the job"));
    }

    private static String reason(String item, PlacementReasons grounds) {
        String strategy = grounds.strategy() == null ? "the job's strategy" : "strategy " + grounds.strategy();
        String move = PlacementReasons.byItem(grounds.moves()).get(item);
        if (move == null) {
            return strategy + " placed it there and keeps it";
        }
        int blank = move.indexOf(' ');
        String from = move.substring(blank + 1);
        try {
            return describe(Cause.valueOf(move.substring(0, Math.max(0, blank))), from, strategy);
        } catch (IllegalArgumentException e) {
            return "it was moved for a reason that this version does not know, " + move;
        }
    }

    private static String describe(Cause cause, String from, String strategy) {
        return switch (cause) {
            case FAILED_OVER -> "it was failed over from " + from + ", whose session ended";
            case DRAINED -> "it was drained from " + from;
            case UNHOSTED -> "it came from " + from + ", which no longer hosts the job";
            case DISABLED -> "it came from " + from + ", which was disabled by an operator";
            case CLOCK_AHEAD -> "it came from " + from + ", whose clock is ahead";
            case REQUIRED -> "it came from " + from + ", which does not match requiredInstances";
            case ANTI_AFFINITY -> "it came from " + from + ", which has items of the job that antiAffinity names";
            case MAXIMUM -> "it came from " + from + ", which has reached maxItemsPerInstance";
            case PREFERRED -> "it came from " + from + "; preferredInstances prefers its present owner";
            case UNRETURNED -> "it came from " + from + ", where a run for an earlier session has not returned";
            case CAME_HOME -> "it returned from " + from + "; its zone has instances again";
            case STRATEGY -> strategy + " moved it from " + from;
        };
    }
}
