package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the cluster executes manual triggers as requested. A cancelled trigger never runs. If a trigger repeats
 * an earlier fire, the new fire has the time that the trigger chose, and it runs only under the trigger's item count.
 * The end of a triggered fire does not move the cursor of the scheduled fires.
 */
final class TriggersKept extends Invariant {
    /** Run ids of cancelled triggers. */
    private final Set<String> cancelled = new HashSet<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            if (!(write instanceof Write.Created created)) {
                continue;
            }
            if (write.path().startsWith("/triggers/")) {
                String runId = State.json(created.data()).get("runId").getAsString();
                expect(!cancelled.contains(runId), "a cancelled run is not triggered", transaction, null);
            } else if (write.path().contains("/fires/") && Recovers.isCancelled(created.data())) {
                String runId = State.name(write.path());
                cancelled.add(runId);
                boolean waits = transaction.writes().stream()
                        .anyMatch(other -> other instanceof Write.Deleted
                                && other.path().startsWith("/delayed/")
                                && runId.equals(delayed(other.path(), before)));
                expect(waits, "a run is cancelled while its delayed trigger waits", transaction, null);
            }
        }
    }

    private static @Nullable String delayed(String path, State before) {
        State.Node node = before.node(path);
        return node == null
                ? null
                : State.json(node.data())
                        .getAsJsonObject("request")
                        .get("runId")
                        .getAsString();
    }

    @Override
    void move(Move move, State before) {
        if (!move.next().hasRun() || !move.next().triggered()) {
            return;
        }
        if (move.claims()) {
            expect(!cancelled.contains(move.next().fire()), "a cancelled run does not start", move, move.item());
            trigger(move.next().fire(), before).ifPresent(trigger -> claim(move, trigger));
        } else if (move.ends()) {
            boolean untouched = move.next().cursor.equals(move.before().cursor);
            expect(untouched, "the end of a triggered fire leaves the cursor", move, move.item());
        }
    }

    private void claim(Move move, JsonObject trigger) {
        int total = trigger.get("total").getAsInt();
        expect(
                total == 0 || total == move.next().total(),
                "a trigger for items of " + total + " runs under that count",
                move,
                move.item());
        expect(
                fireTime(trigger).equals(move.next().chosenTime()),
                "a fire keeps the time that its trigger chose",
                move,
                move.item());
    }

    private static Optional<Instant> fireTime(JsonObject trigger) {
        return trigger.has("fireTime")
                ? Optional.of(Instant.parse(trigger.get("fireTime").getAsString()))
                : Optional.empty();
    }

    private static Optional<JsonObject> trigger(String runId, State before) {
        return before.below("/triggers").values().stream()
                .map(node -> State.json(node.data()))
                .filter(trigger -> trigger.get("runId").getAsString().equals(runId))
                .findFirst();
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            Claim claim = before.claim(began.run());
            Optional<Instant> chosen =
                    claim == null ? Optional.empty() : claim.record().chosenTime();
            expect(
                    chosen.isEmpty() || chosen.get().equals(began.fireTime()),
                    "code receives the fire time that its trigger chose",
                    began,
                    began.run().item());
        }
    }
}
