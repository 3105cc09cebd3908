package io.ostraka.faults.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Follows the items' records through a server's transactions, and says what each transaction did to them. */
public final class Ledger {
    private final State state = new State();

    /** What became of an item. */
    public enum Kind {
        /** A fire was claimed for the first time. */
        CLAIMED,
        /** A fire that had not ended was claimed once more. */
        TAKEN_OVER,
        /** A fire came to its end. */
        ENDED,
        /** A fire was given up for someone else to take over. */
        HANDED_OVER,
        /** Nothing began or ended. */
        NOTED
    }

    /**
     * One move of an item.
     *
     * @param fire id of the fire that the record is about
     * @param due the instant that the fire is of
     * @param triggered whether by hand
     * @param session of the owner that the claim names
     * @param claim number of the transaction that claimed what is moved; of a claim its own
     * @param outcome of what has ended, empty otherwise
     * @param leftOut how many fires this move decided not to run, by reason
     */
    public record Step(
            Item item,
            Kind kind,
            String fire,
            Instant due,
            boolean triggered,
            long session,
            long claim,
            String outcome,
            Map<String, Long> leftOut) {
        /** Copies. */
        public Step {
            leftOut = Collections.unmodifiableMap(new TreeMap<>(leftOut));
        }
    }

    /** Takes the next transaction. */
    public List<Step> take(Event.Transaction transaction) {
        return transaction.steps().stream()
                .flatMap(each -> taken(each).stream())
                .toList();
    }

    private List<Step> taken(Event.Transaction transaction) {
        List<Move> moves = state.moves(transaction);
        List<Step> steps = new ArrayList<>();
        for (Move move : moves) {
            WrittenRecord next = move.next();
            Map<String, Long> leftOut = decidesAnew(move) ? next.leftOutByReason() : Map.of();
            if (next.nonce.isEmpty()) {
                if (!leftOut.isEmpty()) {
                    steps.add(new Step(move.item(), Kind.NOTED, "", next.cursor, false, 0, 0, "", leftOut));
                }
                continue;
            }
            Claim latest = state.latestClaim(move.item());
            long claim = move.claims() ? transaction.zxid() : latest == null ? 0 : latest.zxid();
            steps.add(new Step(
                    move.item(),
                    kind(move),
                    next.fire(),
                    next.fireTime(),
                    next.triggered(),
                    next.ownerSession(),
                    claim,
                    move.ends() ? next.outcome() : "",
                    leftOut));
        }
        state.take(transaction, moves);
        return steps;
    }

    private static Kind kind(Move move) {
        if (move.claims()) {
            return move.before().unfinished() ? Kind.TAKEN_OVER : Kind.CLAIMED;
        }
        return move.ends() ? Kind.ENDED : move.handsOver() ? Kind.HANDED_OVER : Kind.NOTED;
    }

    /** Whether it says what was left out by itself, and not by the move before it. */
    private static boolean decidesAnew(Move move) {
        boolean first = move.claims() && !move.before().unfinished();
        return first || !move.next().leftOutByReason().equals(move.before().leftOutByReason());
    }

    /** Returns the items whose fire was claimed by a session and has not ended. */
    public List<Item> heldBy(long session) {
        List<Item> held = new ArrayList<>();
        for (String job : state.jobs()) {
            state.records(job).forEach((item, record) -> {
                if (record.state.equals("RUNNING") && record.ownerSession() == session) {
                    held.add(item);
                }
            });
        }
        return held;
    }

    /** Tells whether no fire is claimed and none waits to be taken over. */
    public boolean rests() {
        return state.jobs().stream()
                .allMatch(job -> state.records(job).values().stream().noneMatch(WrittenRecord::unfinished));
    }

    /** Returns the instance that the plan in force gives an item to; empty if none. */
    public Optional<String> owner(Item item) {
        return plan(item.job()).map(plan -> plan.owners.get(item.key()));
    }

    /** Returns all items that a job has by its plan. */
    public List<Item> items(String job) {
        return plan(job)
                .map(plan -> plan.owners.keySet().stream()
                        .map(key -> new Item(job, key))
                        .toList())
                .orElse(List.of());
    }

    /** Returns the time between two fires of a job; empty when it isn't known. */
    public Optional<Duration> period(String job) {
        return plan(job).flatMap(plan -> plan.schedule.period());
    }

    private Optional<WrittenPlan> plan(String job) {
        return Optional.ofNullable(state.plan(job));
    }

    /** Returns the session of who leads, or of who is to, once it knows. */
    public Optional<Long> leader() {
        return state.below("/leader/latch").entrySet().stream()
                .min(Comparator.comparing(candidate -> sequence(candidate.getKey())))
                .map(candidate -> candidate.getValue().session());
    }

    private static String sequence(String path) {
        return path.substring(path.lastIndexOf('-') + 1);
    }

    /** Returns the number of the transaction that gave a run its token. */
    public static long claim(Event.RunKey run) {
        return Claim.zxid(run.token());
    }

    /** Returns the session that an instance's id names. */
    public static long session(String instance) {
        return WrittenRecord.session(instance);
    }
}
