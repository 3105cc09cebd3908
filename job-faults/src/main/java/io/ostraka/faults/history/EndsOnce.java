package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I2: a fire of an item ends at most once and never starts again; what ends is the claim that is in force, and what its
 * code came to decides how.
 */
final class EndsOnce extends Invariant {
    private static final List<String> NOT_BY_RETURNING = List.of("INTERRUPTED", "CRASHED");
    /** As what is completed though it was told to end. */
    private static final List<String> TOLD = List.of("TIMED_OUT", "CANCELLED");

    private final Set<String> begun = new HashSet<>();
    private final Map<String, String> ends = new HashMap<>();
    /** How each claim's code has returned. */
    private final Map<String, Event.Ended> returned = new HashMap<>();
    /** Claims whose code has begun. */
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
        expect(same, "whose claim it is changes by a claim", move, move.item());
    }

    private void claim(Move move, State before) {
        Item item = move.item();
        WrittenRecord next = move.next();
        WrittenPlan plan = before.plan(item.job());
        String ended = ends.get(move.fire());
        expect(ended == null, "what has ended as " + ended + " never begins again", move, item);
        boolean planned = plan != null
                && next.owner().equals(plan.owners.get(item.key()))
                && next.incarnation == plan.incarnation;
        expect(planned, "the plan's owner claims, under the plan's incarnation", move, item);
        boolean parked = List.of("QUARANTINED", "RETIRED").contains(move.before().state);
        expect(!parked, "nothing parked or retired begins", move, item);
        if (next.attempt() == 1) {
            expect(begun.add(move.fire()), "a fire begins once", move, item);
            expect(!move.before().unfinished(), "one fire follows the other", move, item);
            expect(plan == null || next.total() == plan.total, "a fire has the plan's total", move, item);
        } else {
            boolean goesOn = move.before().unfinished() && move.before().fire().equals(next.fire());
            expect(goesOn, "a later attempt goes on with the fire", move, item);
            if (goesOn) {
                expect(next.attempt() == move.before().attempt() + 1, "attempts are counted", move, item);
                expect(next.total() == move.before().total(), "a fire keeps its total", move, item);
            }
        }
    }

    /** Whether somebody else ends it for its owner, who is gone. */
    static boolean endsWithoutReturning(Move move) {
        return move.ends() && NOT_BY_RETURNING.contains(move.next().outcome());
    }

    private void end(Move move, State before) {
        String other = ends.put(move.fire(), move.next().outcome());
        expect(other == null, "a fire ends once, not " + other + " too", move, move.item());
        Event.Ended how = howItReturned(move, before);
        String outcome = move.next().outcome();
        if (endsWithoutReturning(move)) {
            return;
        }
        boolean told = TOLD.contains(outcome);
        boolean returned = how == null ? told && !entered(move, before) : !Event.Ended.GIVEN_UP.equals(how.told());
        expect(returned, "what is completed has returned, and was not given up before", move, move.item());
        if (how != null && returned) {
            // what was told to end had been told when it returned, or waited for another try by then
            boolean truly = told
                    ? outcome.equals(how.told()) || (how.told() == null && how.failed())
                    : how.told() == null && how.failed() == outcome.equals("FAILED");
            expect(truly, "it ends as its code did, " + how, move, move.item());
        }
    }

    private void handOver(Move move, State before) {
        Event.Ended how = howItReturned(move, before);
        boolean unfinished =
                how == null || Event.Ended.GIVEN_UP.equals(how.told()) || (how.told() == null && how.failed());
        expect(unfinished, "what has returned is completed, not handed over, " + how, move, move.item());
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
