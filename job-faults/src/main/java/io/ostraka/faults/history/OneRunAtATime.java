package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * I1: at most one run of an item with a live session at any time, and of one item count; tokens rise; a store that was
 * fenced first takes the present owner's writes and nobody else's; a checkpoint is its owner's.
 */
final class OneRunAtATime extends Invariant {
    private final Map<Item, Long> highestTokens = new HashMap<>();
    private final Map<Item, Long> highestAccepted = new HashMap<>();
    private final Map<Item, Long> positions = new HashMap<>();
    /** How often the code of a claim was begun, and how often it failed. */
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
        expect(owned, "only the present owner moves the checkpoint", record, item);
        State.Node old = before.node(write.path());
        if (old != null && write instanceof Write.Changed changed) {
            boolean numbers = old.data().matches("\\d+") && changed.data().matches("\\d+");
            boolean onwards = !numbers || Long.parseLong(changed.data()) > Long.parseLong(old.data());
            expect(onwards, "a checkpoint that is a number goes on from " + old.data(), changed.data(), item);
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
            expect(apart, "nothing of another count is held meanwhile, as " + other, move, item);
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
        expect(claimed, "what runs was claimed, with the claim's number as token", began, item);
        boolean again = failures == 0 || began.attempt() <= tries(before.definition(item.job()));
        expect(again, "what has failed is tried as often as its job says", began, item);
        int executed = began.step().equals("execute") ? begun.merge(run, 1, Integer::sum) : failures + 1;
        expect(executed == failures + 1, "a claim is run once, and again only after it has failed", began, item);
        boolean lives = before.holds(began);
        long highest = highestTokens.merge(item, run.token(), Math::max);
        expect(!lives || highest == run.token(), "tokens rise, after 0x" + Long.toHexString(highest), began, item);
        for (Event.Began other : before.active()) {
            Item another = other.run().item();
            boolean apart = !lives
                    || !another.job().equals(item.job())
                    || !before.holds(other)
                    || (!another.equals(item) && sameCount(before, other, claim));
            if (!apart) {
                expected("it runs apart from " + other, began, item);
            }
        }
    }

    /** Of items without numbers the claims tell, whose total is 1 each. */
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
            expect(run.token() >= highest, "the store refuses late writers", effect, run.item());
            highestAccepted.merge(run.item(), run.token(), Math::max);
            if (effect.position() != null) {
                long position = effect.position();
                long last = positions.getOrDefault(run.item(), position - 1);
                boolean goesOn = position == last || position == last + 1;
                expect(goesOn, "a stream goes on from its checkpoint, behind or at " + last, effect, run.item());
                positions.put(run.item(), position);
            }
        } else {
            Claim claim = before.claim(run);
            boolean late = claim == null || !before.inForce(claim);
            expect(late, "the store takes the present owner's writes", effect, run.item());
        }
    }
}
