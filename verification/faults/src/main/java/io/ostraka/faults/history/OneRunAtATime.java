package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks I1: at most one run of an item has a live session, and all live runs of a job have the same item count.
 * Fencing tokens increase. A store that checks the tokens accepts only writes of the present owner. Only the owner
 * writes a checkpoint.
 */
final class OneRunAtATime extends Invariant {
    private final Map<Item, Long> highestTokens = new HashMap<>();
    private final Map<Item, Long> highestAccepted = new HashMap<>();
    private final Map<Item, Long> positions = new HashMap<>();
    /** Number of times that the code of a claim has started. {@code failed} contains the number of its failures. */
    private final Map<Event.RunKey, Integer> begun = new HashMap<>();

    private final Map<Event.RunKey, Integer> failed = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            if (write.path().endsWith("/checkpoint") && !(write instanceof Write.Deleted)) {
                checkpoint(write, transaction, before);
            }
        }
    }

    private void checkpoint(Write write, Event.Transaction transaction, State before) {
        String[] parts = write.path().split("/", -1);
        Item item = new Item(parts[2], parts[4]);
        WrittenRecord record = before.record(item);
        boolean owned =
                record != null && record.state.equals("RUNNING") && before.mayBe(record.owner(), transaction.session());
        expect(owned, "only the present owner writes the checkpoint", record, item);
        State.Node old = before.node(write.path());
        if (old != null && write instanceof Write.Changed changed) {
            boolean numbers = old.data().matches("\\d+") && changed.data().matches("\\d+");
            boolean onwards = !numbers || Long.parseLong(changed.data()) > Long.parseLong(old.data());
            expect(onwards, "a checkpoint that is a number increases from " + old.data(), changed.data(), item);
        }
    }

    @Override
    void move(Move move, State before) {
        if (!move.claims()) {
            return;
        }
        Item item = move.item();
        boolean held = move.by().writes().stream()
                .anyMatch(write -> write instanceof Write.Created created
                        && created.ephemeral()
                        && created.path().equals(item.running()));
        expect(held, "a claim creates the running node", move, item);
        expect(before.mayBe(move.next().owner(), move.by().session()), "an instance claims for itself", move, item);
        before.records(item.job()).forEach((other, record) -> {
            boolean apart = !before.exists(other.running())
                    || record.nonce.isEmpty()
                    || record.total() == move.next().total()
                    || other.equals(item);
            expect(apart, "no item of another item count runs meanwhile, as " + other, move, item);
        });
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            began(began, before);
        } else if (event instanceof Event.Ended ended && ended.failed()) {
            failed.merge(ended.run(), 1, Integer::sum);
        } else if (event instanceof Event.Effect effect) {
            effect(effect, before);
        }
    }

    private void began(Event.Began began, State before) {
        Event.RunKey run = began.run();
        Item item = run.item();
        Claim claim = before.claim(run);
        int failures = failed.getOrDefault(run, 0);
        boolean claimed = claim != null
                && claim.items() == began.total()
                && claim.record().attempt() + failures == began.attempt()
                && claim.record().owner().equals(began.instance());
        expect(claimed, "a run has a claim, with the claim's number as token", began, item);
        boolean again = failures == 0 || began.attempt() <= tries(before.definition(item.job()));
        expect(again, "a failed run has no more attempts than its job allows", began, item);
        int executed = began.step().equals("execute") ? begun.merge(run, 1, Integer::sum) : failures + 1;
        expect(executed == failures + 1, "a claim runs once, and again only after a failure", began, item);
        boolean lives = before.holds(began);
        long highest = highestTokens.merge(item, run.token(), Math::max);
        expect(!lives || highest == run.token(), "tokens increase, after 0x" + Long.toHexString(highest), began, item);
        for (Event.Began other : before.active()) {
            Item another = other.run().item();
            boolean apart = !lives
                    || !another.job().equals(item.job())
                    || !before.holds(other)
                    || (!another.equals(item) && sameCount(before, other, claim));
            if (!apart) {
                expected("the run does not overlap with " + other, began, item);
            }
        }
    }

    /** Returns whether two claims have the same item count. For items without numbers, the count in a claim is always 1. */
    private static boolean sameCount(State before, Event.Began other, @Nullable Claim claim) {
        Claim another = before.claim(other.run());
        return another != null
                && claim != null
                && another.record().total() == claim.record().total();
    }

    private static int tries(@Nullable JsonObject definition) {
        JsonObject retry = definition == null ? null : definition.getAsJsonObject("retry");
        return retry == null ? 1 : retry.get("attempts").getAsInt();
    }

    private void effect(Event.Effect effect, State before) {
        Event.RunKey run = effect.run();
        long highest = highestAccepted.getOrDefault(run.item(), 0L);
        if (effect.accepted()) {
            expect(run.token() >= highest, "the store refuses writes of earlier runs", effect, run.item());
            highestAccepted.merge(run.item(), run.token(), Math::max);
            if (effect.position() != null) {
                long position = effect.position();
                long last = positions.getOrDefault(run.item(), position - 1);
                boolean continues = position == last || position == last + 1;
                expect(continues, "a stream continues from its checkpoint, at or after " + last, effect, run.item());
                positions.put(run.item(), position);
            }
        } else {
            Claim claim = before.claim(run);
            boolean late = claim == null || !before.inForce(claim);
            expect(late, "the store accepts the present owner's writes", effect, run.item());
        }
    }
}
