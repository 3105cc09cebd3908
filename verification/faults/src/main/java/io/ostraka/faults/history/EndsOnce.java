package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks I2: a fire of an item ends at most once and never starts again. The outcome of the fire is that of the code
 * that its latest claim started, unless another instance ends the fire because the owner has ended.
 */
final class EndsOnce extends Invariant {
    private static final List<String> NOT_BY_RETURNING = List.of("INTERRUPTED", "CRASHED");
    /** Outcomes of completed runs that the engine has stopped. */
    private static final List<String> STOPPED = List.of("TIMED_OUT", "CANCELLED");

    /**
     * Last words of the error text of a fire that an operator has stopped and that another instance has ended. A
     * stopped fire is not taken over.
     */
    private static final String LEFT_UNFINISHED = " had left it unfinished";

    private final Set<String> begun = new HashSet<>();
    private final Map<String, String> ends = new HashMap<>();
    /** The latest return of the code of each claim. */
    private final Map<String, Event.Ended> returned = new HashMap<>();
    /** Claims whose code has started. */
    private final Set<String> entered = new HashSet<>();

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Ended ended) {
            returned.put(Claim.zxid(ended.run().token()) + " " + ended.run().item(), ended);
        } else if (event instanceof Event.Began began) {
            returned.remove(Claim.zxid(began.run().token()) + " " + began.run().item());
            entered.add(Claim.zxid(began.run().token()) + " " + began.run().item());
        }
    }

    @Override
    void move(Move move, State before) {
        if (move.claims()) {
            claim(move, before);
        } else if (move.ends()) {
            end(move, before);
        } else if (move.handsOver()) {
            handOver(move, before);
        }
        boolean same = move.claims() || move.next().nonce.equals(move.before().nonce);
        expect(same, "only a claim changes the claim in the record", move, move.item());
    }

    private void claim(Move move, State before) {
        Item item = move.item();
        WrittenRecord next = move.next();
        WrittenPlan plan = before.plan(item.job());
        String ended = ends.get(move.fire());
        expect(ended == null, "a fire that has ended as " + ended + " never starts again", move, item);
        boolean planned = plan != null
                && next.owner().equals(plan.owners.get(item.key()))
                && next.incarnation == plan.incarnation;
        expect(planned, "a claim is of the plan's owner and incarnation", move, item);
        boolean blocked = List.of("QUARANTINED", "RETIRED").contains(move.before().state);
        expect(!blocked, "no quarantined or retired item starts", move, item);
        if (next.attempt() == 1) {
            expect(begun.add(move.fire()), "a fire starts once", move, item);
            expect(!move.before().unfinished(), "a fire starts after the item's last fire has ended", move, item);
            expect(plan == null || next.total() == plan.total, "a fire has the plan's item count", move, item);
        } else {
            boolean continues =
                    move.before().unfinished() && move.before().fire().equals(next.fire());
            expect(continues, "a later attempt continues the unfinished fire", move, item);
            if (continues) {
                expect(
                        next.attempt() == move.before().attempt() + 1,
                        "each takeover increments the attempt",
                        move,
                        item);
                expect(next.total() == move.before().total(), "a fire keeps its item count", move, item);
            }
        }
    }

    /** Returns whether another instance ends the fire because the owner of the fire has ended. */
    static boolean endsWithoutReturning(Move move) {
        WrittenRecord next = move.next();
        return move.ends()
                && (NOT_BY_RETURNING.contains(next.outcome())
                        || (next.stoppedByOperator() && next.error().endsWith(LEFT_UNFINISHED)));
    }

    private void end(Move move, State before) {
        String other = ends.put(move.fire(), move.next().outcome());
        expect(other == null, "a fire ends once, not also as " + other, move, move.item());
        Event.Ended how = howItReturned(move, before);
        String outcome = move.next().outcome();
        if (endsWithoutReturning(move)) {
            return;
        }
        boolean stopped = STOPPED.contains(outcome);
        boolean gaveUp = how != null
                && Event.Ended.GIVEN_UP.equals(how.told())
                && !move.next().stoppedByOperator(); // a run that an operator stopped is not handed over
        boolean returned = how == null ? stopped && !entered(move, before) : !gaveUp;
        expect(returned, "a completed run has returned and was not given up before", move, move.item());
        if (how != null && returned) {
            // the engine may stop a run before the code returns, or while the run waits for its next attempt
            boolean truly = stopped
                    ? outcome.equals(how.told())
                            || Event.Ended.GIVEN_UP.equals(how.told())
                            || (how.told() == null && how.failed())
                    : how.told() == null && how.failed() == outcome.equals("FAILED");
            expect(truly, "the outcome is that of the code, " + how, move, move.item());
        }
    }

    private void handOver(Move move, State before) {
        Event.Ended how = howItReturned(move, before);
        boolean unfinished =
                how == null || Event.Ended.GIVEN_UP.equals(how.told()) || (how.told() == null && how.failed());
        expect(unfinished, "a run that has returned is completed, not handed over, " + how, move, move.item());
    }

    private boolean entered(Move move, State before) {
        Claim claim = before.latestClaim(move.item());
        return claim != null && entered.contains(claim.zxid() + " " + move.item());
    }

    private Event.@Nullable Ended howItReturned(Move move, State before) {
        Claim claim = before.latestClaim(move.item());
        return claim == null ? null : returned.get(claim.zxid() + " " + move.item());
    }
}
