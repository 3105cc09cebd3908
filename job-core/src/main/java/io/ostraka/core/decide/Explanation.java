package io.ostraka.core.decide;

import io.ostraka.api.Scope;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.PlacementReasons.Cause;
import io.ostraka.core.model.ShardingPlan;
import java.util.List;
import java.util.Map;

/** Says in one sentence why an item is where it is, from the plan alone, and of items without numbers from what operators want. */
public final class Explanation {
    private Explanation() {}

    /**
     * Returns the sentence.
     *
     * @param item the item's key; it needn't be one of the job's
     * @param override what an operator wants of the job
     */
    public static String of(String job, String item, ShardingPlan plan, JobOverride override) {
        String subject = "item " + item + " of job '" + job + "' ";
        for (Map.Entry<String, List<String>> entry : plan.items().entrySet()) {
            if (entry.getValue().contains(item)) {
                return subject + "is on " + entry.getKey() + ": "
                        + (plan.scope() == Scope.BROADCAST
                                ? "it is that instance's own"
                                : reason(item, plan.grounds()));
            }
        }
        if (!ShardingPlan.numbered(plan.scope())) {
            boolean broadcast = plan.scope() == Scope.BROADCAST;
            return subject + "is none of its items, for scope " + plan.scope() + " has one for each "
                    + (broadcast ? "instance" : "zone") + " that takes part"
                    + (broadcast && override.disables(item) ? ", and this one is disabled by an operator" : "");
        }
        if (!plan.keys().contains(item)) {
            return subject + "is none of its items, of which there are " + plan.total();
        }
        String wait = PlacementReasons.byItem(plan.grounds().awaited()).getOrDefault(item, "");
        return subject + "is on no instance: "
                + Reservations.restart(wait)
                        .orElse(PlacementReasons.byItem(plan.grounds().unplaced())
                                .getOrDefault(item, "none works for the job"));
    }

    private static String reason(String item, PlacementReasons grounds) {
        String strategy = grounds.strategy() == null ? "the job's strategy" : "strategy " + grounds.strategy();
        String move = PlacementReasons.byItem(grounds.moves()).get(item);
        if (move == null) {
            return strategy + " has placed it there, and keeps it";
        }
        int blank = move.indexOf(' ');
        String from = move.substring(blank + 1);
        try {
            return describe(Cause.valueOf(move.substring(0, Math.max(0, blank))), from, strategy);
        } catch (IllegalArgumentException e) {
            return "it was moved for a reason that this version doesn't know, " + move;
        }
    }

    private static String describe(Cause cause, String from, String strategy) {
        return switch (cause) {
            case FAILED_OVER -> "it was failed over from " + from + ", whose session ended";
            case DRAINED -> "it was drained from " + from;
            case UNHOSTED -> "it came from " + from + ", which doesn't host the job any more";
            case DISABLED -> "it came from " + from + ", which was disabled by an operator";
            case CLOCK_AHEAD -> "it came from " + from + ", whose clock is ahead";
            case REQUIRED -> "it came from " + from + ", which doesn't match requiredInstances";
            case ANTI_AFFINITY -> "it came from " + from + ", which has items of the job that antiAffinity names";
            case MAXIMUM -> "it came from " + from + ", which has as many as maxItemsPerInstance says";
            case PREFERRED -> "it came from " + from + ", and preferredInstances says rather here";
            case UNRETURNED -> "it came from " + from + ", where a run for an earlier session has not returned";
            case CAME_HOME -> "it came home from " + from + ", for its zone has instances again";
            case STRATEGY -> strategy + " has moved it from " + from;
        };
    }
}
