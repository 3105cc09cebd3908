package io.ostraka.faults.history;

import com.google.gson.JsonObject;

/**
 * I3: with failover on, a fire that was claimed and not completed is run again, up to maxAttempts, by someone else only
 * when its owner is gone; in the end none is left.
 */
final class RunsAgain extends Invariant {
    @Override
    void move(Move move, State before) {
        if (move.claims() && move.before().state.equals("RUNNING")) {
            boolean gone = !before.lives(move.before().ownerSession())
                    || !before.exists("/instances/" + move.before().owner());
            expect(gone, "what is taken over has lost its owner", move, move.item());
        } else if (move.ends()) {
            end(move, before);
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
        expect(parked == deadly && crashed == deadly, "an item is parked once it has killed " + most, move, item);
        if (move.next().outcome().equals("INTERRUPTED")) {
            boolean meant = !definition.get("failover").getAsBoolean()
                    || (plan.closed() && plan.target() == 0)
                    || disabled(item, before, plan);
            expect(meant, "an interrupted fire runs again", move, item);
        }
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
                before.records(job).forEach((item, record) -> {
                    boolean runs = before.exists(item.running()) && before.runs(job);
                    expect(!record.unfinished() || runs, "what was begun has ended", record, item);
                });
            }
        }
    }
}
