package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * I4: what is left out is left out for a reason that there was: nothing that its job's policies keep, as overlapped only
 * what came while the item was busy, a trigger only where its item may not run or isn't asked for.
 *
 * <p>Decided is by the owner's clock, which its claim tells. What no history tells is the age from which a fire is
 * misfired, for it comes from the session's timeout: that the latest of all fires was too old is taken on trust where the
 * policy drops it.
 */
final class TrueReasons extends Invariant {
    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (plan == null || move.rewrites()) {
            return;
        }
        if (move.claims() && move.next().attempt() == 1) {
            begin(move, plan, before);
        } else if (!move.claims()
                && !move.ends()
                && move.next().triggerCursor() != move.before().triggerCursor()) {
            skip(move, plan, before);
        }
    }

    private void begin(Move move, WrittenPlan plan, State before) {
        String job = move.item().job();
        JsonObject definition = before.definition(job);
        boolean shifted = !plan.schedule.jitter().isZero();
        if (definition == null || !plan.schedule.isRhythm() || shifted || !before.isCurrent(job, plan)) {
            return; // decided by a definition that is gone, or by a clock or under a schedule that isn't understood
            // here
        }
        Instant startedAt = move.next().startedAt();
        Instant window = definition.has("catchUpWindow")
                ? startedAt.minus(Duration.parse(definition.get("catchUpWindow").getAsString()))
                : Instant.MIN;
        Undecided undecided = new Undecided(plan, move.before(), startedAt, window);
        for (WrittenRecord.LeftOut each : move.next().leftOut()) {
            if (!each.to().isAfter(plan.since())) {
                continue; // another schedule's
            }
            boolean told =
                    switch (each.reason()) {
                        case "MISFIRED" -> undecided.misfired(each, definition.getAsJsonObject("misfire"));
                        case "OVERLAPPED", "COALESCED" ->
                            undecided.overlapped(each, definition.getAsJsonObject("overlap"));
                        default -> false;
                    };
            expect(told, "there was a reason for " + each, move, move.item());
        }
    }

    /** The fires that an item had to decide, by the owner's clock. */
    private record Undecided(WrittenPlan plan, WrittenRecord last, Instant now, Instant window) {
        /** Apart from what the item was busy with, and none of the latest that the policy keeps. */
        boolean misfired(WrittenRecord.LeftOut each, JsonObject policy) {
            Optional<Instant> endedAt = last.endedAt();
            boolean apart = endedAt.isEmpty()
                    || !each.to().isAfter(last.busySince())
                    || each.from().isAfter(endedAt.get());
            long later = count(each.to(), now) - busyAfter(each.to());
            boolean tooOld = !each.to().isAfter(window);
            return apart
                    && switch (type(policy)) {
                        case "fireOnce" -> tooOld || later >= 1;
                        case "fireAll" -> tooOld || later >= policy.get("max").getAsInt();
                        default -> true;
                    };
        }

        /** While the item was busy, and none of the latest that the policy keeps. */
        boolean overlapped(WrittenRecord.LeftOut each, JsonObject policy) {
            Optional<Instant> endedAt = last.endedAt();
            boolean within = endedAt.isPresent()
                    && each.from().isAfter(last.busySince())
                    && !each.to().isAfter(endedAt.get());
            boolean coalesced = each.reason().equals("COALESCED");
            return within
                    && switch (type(policy)) {
                        case "coalesce" -> coalesced && count(each.to(), now) >= 1;
                        case "cancelRunning" -> !coalesced && count(each.to(), now) >= 1;
                        case "queue" ->
                            !coalesced
                                    && busyAfter(each.to()) >= policy.get("max").getAsInt();
                        default -> !coalesced;
                    };
        }

        /** How many fires that came later fell into the item's busy time. */
        private long busyAfter(Instant fire) {
            Instant endedAt = last.endedAt().orElse(Instant.MIN);
            if (endedAt.equals(Instant.MIN)) {
                return 0;
            }
            Instant from = fire.isAfter(last.busySince()) ? fire : last.busySince();
            return count(from, endedAt.isBefore(now) ? endedAt : now);
        }

        private long count(Instant after, Instant upTo) {
            return after.isBefore(upTo) ? plan.schedule.fires(last, after, upTo) : 0;
        }

        private static String type(JsonObject policy) {
            return policy.get("type").getAsString();
        }
    }

    private void skip(Move move, WrittenPlan plan, State before) {
        Item item = move.item();
        String key = '"' + item.key() + '"';
        for (WrittenRecord.LeftOut each : move.next().leftOut()) {
            boolean told =
                    switch (each.reason()) {
                        case "QUARANTINED" -> move.before().state.equals("QUARANTINED");
                        case "DISABLED" -> before.everWanted(item.job(), plan, "disabledItems", key);
                        case "REMOVED" -> plan.closed() && plan.target() == 0;
                        case "NOT_CONCERNED" -> !awaits(item, move.next().triggerCursor(), before);
                        default -> false;
                    };
            expect(told, "there was a reason for " + each, move, item);
        }
    }

    /** Whether a trigger asks for an item that its fire, if it has begun, still waits for. */
    private static boolean awaits(Item item, long czxid, State before) {
        String key = '"' + item.key() + '"';
        return before.below("/triggers").values().stream()
                .filter(node -> node.czxid() == czxid)
                .map(node -> State.json(node.data()))
                .anyMatch(trigger -> {
                    String items = String.valueOf(trigger.get("items"));
                    State.Node progress = before.node("/jobs/" + item.job() + "/fires/"
                            + trigger.get("runId").getAsString());
                    boolean begunWithout = progress != null
                            && !State.json(progress.data())
                                    .get("left")
                                    .toString()
                                    .contains(key);
                    return (items.equals("null") || items.equals("[]") || items.contains(key)) && !begunWithout;
                });
    }
}
