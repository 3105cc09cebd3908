package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I3: with failover on, a fire that was claimed and not completed is run again, up to maxAttempts, by someone else only
 * when its owner is gone; in the end none is left.
 */
final class RunsAgain extends Invariant {
    /** How often in a row each item has failed. */
    private final Map<Item, Integer> failures = new HashMap<>();

    @Override
    void move(Move move, State before) {
        if (move.claims() && move.before().state.equals("RUNNING")) {
            boolean gone = !before.lives(move.before().ownerSession())
                    || !before.exists("/instances/" + move.before().owner());
            expect(gone, "what is taken over has lost its owner", move, move.item());
        } else if (move.ends()) {
            end(move, before);
        } else if (move.rewrites() && move.before().state.equals("RETIRED")) {
            failures.remove(move.item()); // what comes back begins anew
        } else if (!move.rewrites()
                && move.before().state.equals("QUARANTINED")
                && move.next().state.equals("IDLE")) {
            failures.remove(move.item()); // an operator has released it
        } else if (move.before().state.equals("RETIRED") && !move.next().state.equals("RETIRED")) {
            failures.remove(move.item()); // it comes back, as one that has failed in no fire
        }
    }

    private void end(Move move, State before) {
        Item item = move.item();
        JsonObject definition = before.definition(item.job());
        WrittenPlan plan = before.plan(item.job());
        if (definition == null || plan == null) {
            return;
        }
        int most = definition.get("maxAttempts").getAsInt();
        boolean crashed = move.next().outcome().equals("CRASHED");
        boolean deadly = crashed && move.before().crashes() + 1 == most;
        boolean parked = move.next().state.equals("QUARANTINED");
        expect(crashed == deadly, "a fire is given up once it has killed " + most, move, item);
        boolean tooMany = tooManyFailures(move, definition);
        expect(parked == (deadly || tooMany), "an item is parked once it has killed or failed too often", move, item);
        if (move.next().outcome().equals("INTERRUPTED")) {
            boolean meant = !definition.get("failover").getAsBoolean()
                    || (plan.closed() && plan.target() == 0)
                    || nobodyElses(move, plan)
                    || disabled(item, before, plan);
            expect(meant, "an interrupted fire runs again", move, item);
        }
    }

    /** Counts failures in a row, and tells whether this one makes them too many for the job. */
    private boolean tooManyFailures(Move move, JsonObject definition) {
        String outcome = move.next().outcome();
        if (outcome.equals("SUCCEEDED")) {
            failures.remove(move.item());
        } else if (List.of("FAILED", "TIMED_OUT", "CRASHED").contains(outcome)) {
            failures.merge(move.item(), 1, Integer::sum);
        }
        JsonElement most = definition.get("quarantineAfter");
        return List.of("FAILED", "TIMED_OUT").contains(outcome)
                && most != null
                && failures.getOrDefault(move.item(), 0) >= most.getAsInt();
    }

    /** Whether it is the item of an instance that takes part no more, or that has given it up itself: no other may run it. */
    private static boolean nobodyElses(Move move, WrittenPlan plan) {
        boolean own = move.by().session() == move.before().ownerSession();
        return plan.scope.equals(WrittenPlan.BROADCAST)
                && (own || !plan.has(move.item().key()));
    }

    /** Whether an operator had disabled it by the override that the plan was made from, or has since. */
    private static boolean disabled(Item item, State before, WrittenPlan plan) {
        return before.everWanted(item.job(), plan, "disabledItems", '"' + item.key() + '"');
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                if (!Recovers.isLibrarys(job, before)) {
                    continue;
                }
                WrittenPlan plan = before.plan(job);
                before.records(job).forEach((item, record) -> {
                    boolean runs = before.exists(item.running()) && before.runs(job);
                    expect(
                            !record.unfinished() || runs || Recovers.isNowhere(item, plan),
                            "what was begun has ended",
                            record,
                            item);
                });
            }
        }
    }
}
