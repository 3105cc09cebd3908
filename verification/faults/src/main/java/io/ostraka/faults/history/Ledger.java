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

/** Follows the records of items through the transactions of a server and returns the steps of each transaction. */
public final class Ledger {
    private final State state = new State();

    /** Kind of a step. */
    public enum Kind {
        /** First claim of a fire. */
        CLAIMED,
        /** Claim of a fire that was claimed before and has not ended. */
        TAKEN_OVER,
        /** End of a fire. */
        ENDED,
        /** Owner's release of a fire, so that another instance takes it over. */
        HANDED_OVER,
        /** Write that neither starts nor ends a fire. */
        NOTED
    }

    /**
     * A step of an item.
     *
     * @param fire id of the record's fire
     * @param due due time of the fire
     * @param triggered true for a fire of a manual trigger
     * @param session session of the owner that the claim names
     * @param claim number of the transaction that claimed the item's latest fire; for a claim, the number of its own
     *     transaction
     * @param outcome outcome of a fire that ended, otherwise empty
     * @param skipped number of fires that this step skipped, by reason
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
            Map<String, Long> skipped) {
        /** Copies the counts. */
        public Step {
            skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
        }
    }

    /** Returns the steps of the next transaction. */
    public List<Step> take(Event.Transaction transaction) {
        return state.steps(transaction).stream()
                .flatMap(each -> taken(each).stream())
                .toList();
    }

    private List<Step> taken(Event.Transaction transaction) {
        List<Move> moves = state.moves(transaction);
        List<Step> steps = new ArrayList<>();
        for (Move move : moves) {
            WrittenRecord next = move.next();
            Map<String, Long> skipped = decidesAnew(move) ? next.skippedByReason() : Map.of();
            if (next.nonce.isEmpty()) {
                if (!skipped.isEmpty()) {
                    steps.add(new Step(move.item(), Kind.NOTED, "", next.cursor, false, 0, 0, "", skipped));
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
                    skipped));
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

    /** Returns whether this move decided the skipped fires in the record; if not, an earlier move did. */
    private static boolean decidesAnew(Move move) {
        boolean first = move.claims() && !move.before().unfinished();
        return first || !move.next().skippedByReason().equals(move.before().skippedByReason());
    }

    /** Returns the items that a session has claimed and whose runs have not ended. */
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

    /** Returns true if every claimed fire has ended. */
    public boolean rests() {
        return state.jobs().stream()
                .allMatch(job -> state.records(job).values().stream().noneMatch(WrittenRecord::unfinished));
    }

    /** Returns the owner of an item according to the plan in force; empty if the item has none. */
    public Optional<String> owner(Item item) {
        return plan(item.job()).map(plan -> plan.owners.get(item.key()));
    }

    /** Returns the items of a job that have an owner in its plan. */
    public List<Item> items(String job) {
        return plan(job)
                .map(plan -> plan.owners.keySet().stream()
                        .map(key -> new Item(job, key))
                        .toList())
                .orElse(List.of());
    }

    /** Returns the time between two fires of a job; empty if unknown. */
    public Optional<Duration> period(String job) {
        return plan(job).flatMap(plan -> plan.schedule.period());
    }

    private Optional<WrittenPlan> plan(String job) {
        return Optional.ofNullable(state.plan(job));
    }

    /**
     * Returns the session of the first candidate, which is the leader or is about to become the leader; empty if there
     * are no candidates.
     */
    public Optional<Long> leader() {
        return state.below("/leader/latch").entrySet().stream()
                .min(Comparator.comparing(candidate -> sequence(candidate.getKey())))
                .map(candidate -> candidate.getValue().session());
    }

    private static String sequence(String path) {
        return path.substring(path.lastIndexOf('-') + 1);
    }

    /** Returns the transaction number that a run's token contains. */
    public static long claim(Event.RunKey run) {
        return Claim.zxid(run.token());
    }

    /** Returns the session that an instance's id contains. */
    public static long session(String instance) {
        return WrittenRecord.session(instance);
    }
}
