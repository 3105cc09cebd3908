package io.ostraka.faults.history;

import io.ostraka.faults.history.RecordedClaim.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Follows the records of items through the transactions of a server, and determines the fate of each claim. */
public final class RecordedClaims {
    private static final String INSTANCES = "/instances/";

    private final State state = new State();
    private final Map<String, RecordedClaim> claims = new LinkedHashMap<>();
    private final Map<Long, String> processes = new HashMap<>();

    private RecordedClaims() {}

    /** Returns all claims of a history, in their order. */
    public static List<RecordedClaim> of(List<? extends Event> history) {
        var all = new RecordedClaims();
        for (Event event : history) {
            if (event instanceof Event.Transaction transaction) {
                all.state.steps(transaction).forEach(all::take);
            }
        }
        return new ArrayList<>(all.claims.values());
    }

    private void take(Event.Transaction step) {
        for (Write write : step.writes()) {
            if (write instanceof Write.Created created && created.path().startsWith(INSTANCES)) {
                String instance = created.path().substring(INSTANCES.length());
                processes.put(WrittenRecord.session(instance), RecordedClaim.process(instance));
            }
        }
        List<Move> moves = state.moves(step);
        moves.forEach(this::take);
        state.take(step, moves);
    }

    private void take(Move move) {
        WrittenRecord before = move.before();
        WrittenRecord next = move.next();
        if (move.ends()) {
            boolean own = before.state.equals("RUNNING")
                    && state.mayBe(before.owner(), move.by().session());
            decide(move, own ? Decision.ENDED : Decision.LOST, next.outcome());
        } else if (move.handsOver()) {
            decide(move, Decision.HANDED_OVER, "INTERRUPTED");
        } else if (move.claims() && before.state.equals("RUNNING")) {
            decide(move, Decision.TAKEN_OVER, "");
        }
        if (move.claims()) {
            claims.put(
                    key(move.item(), next.nonce),
                    new RecordedClaim(
                            move.item(),
                            next.nonce,
                            next.triggered() ? next.fire() : move.item().job() + "@" + next.fireTime(),
                            next.owner(),
                            next.number(),
                            next.triggered(),
                            next.cursor,
                            next.cursor,
                            Decision.NONE,
                            "",
                            null));
        }
    }

    /** A later write changes the first decision only if a fire that was handed over ends without another run. */
    private void decide(Move move, Decision decision, String outcome) {
        claims.computeIfPresent(
                key(move.item(), move.before().nonce),
                (key, claim) -> claim.decision() == Decision.NONE
                                || (claim.decision() == Decision.HANDED_OVER && decision == Decision.LOST)
                        ? claim.decided(
                                decision,
                                outcome,
                                move.next().cursor,
                                processes.get(move.by().session()))
                        : claim);
    }

    private static String key(Item item, String nonce) {
        return item + " " + nonce;
    }
}
