package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks I3: with failover on, a fire that was claimed but not completed runs again, up to the limit of maxAttempts.
 * Another instance takes the fire over only after the owner has ended. At the end of the calm phase, no such fire
 * remains.
 */
final class RunsAgain extends Invariant {
    /** Number of consecutive failures of each item. */
    private final Map<Item, Integer> failures = new HashMap<>();

    @Override
    void move(Move move, State before) {
        if (move.before().nonce.isEmpty()) {
            failures.remove(move.item()); // a lost record was replaced, and its item starts without failures
        }
        if (move.claims() && move.before().state.equals("RUNNING")) {
            boolean gone = !before.lives(move.before().ownerSession())
                    || !before.exists("/instances/" + move.before().owner());
            expect(gone, "a takeover follows the end of the owner", move, move.item());
        } else if (move.ends()) {
            end(move, before);
        } else if (move.rewrites() && move.before().state.equals("RETIRED")) {
            failures.remove(move.item()); // an item that returns to the plan starts without failures
        } else if (!move.rewrites()
                && move.before().state.equals("QUARANTINED")
                && move.next().state.equals("IDLE")) {
            failures.remove(move.item()); // an operator has released the item from quarantine
        } else if (move.before().state.equals("RETIRED") && !move.next().state.equals("RETIRED")) {
            failures.remove(move.item()); // an item that returns to the plan starts without failures
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
        boolean quarantined = move.next().state.equals("QUARANTINED");
        expect(crashed == deadly, "a fire ends as crashed after " + most + " crashes", move, item);
        boolean tooMany = tooManyFailures(move, definition);
        expect(
                quarantined == (deadly || tooMany),
                "an item is quarantined after too many crashes or failures",
                move,
                item);
        if (move.next().outcome().equals("INTERRUPTED")) {
            boolean allowed = !definition.get("failover").getAsBoolean()
                    || (plan.closed() && plan.target() == 0)
                    || ownersOnly(move, plan, before)
                    || disabled(item, before, plan);
            expect(allowed, "an interrupted fire runs again", move, item);
        }
    }

    /** Counts the consecutive failures of the item. Returns whether their number has reached the job's limit. */
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

    /**
     * Returns whether no other instance is allowed to run the item. This is the case if the item belongs to one
     * instance, and this instance has ended or is giving the item up.
     */
    private static boolean ownersOnly(Move move, WrittenPlan plan, State before) {
        boolean own = before.mayBe(move.before().owner(), move.by().session());
        return plan.scope.equals(WrittenPlan.BROADCAST)
                && (own || !plan.has(move.item().key()));
    }

    /** Returns whether the item is disabled in the plan's override or in any later override. */
    private static boolean disabled(Item item, State before, WrittenPlan plan) {
        return before.everWanted(item.job(), plan, "disabledItems", '"' + item.key() + '"');
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                if (!Recovers.isBuiltIn(job, before)) {
                    continue;
                }
                WrittenPlan plan = before.plan(job);
                before.records(job).forEach((item, record) -> {
                    boolean runs = before.exists(item.running()) && before.runs(job);
                    expect(
                            !record.unfinished() || runs || Recovers.isUnplaced(item, plan),
                            "a fire that has started has ended",
                            record,
                            item);
                });
            }
        }
    }
}
