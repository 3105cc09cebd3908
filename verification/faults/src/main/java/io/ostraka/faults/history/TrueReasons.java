package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks I4: every skipped fire has a valid reason. A fire is not skipped if a policy requires that it runs. Only a
 * fire during the item's busy time counts as overlapped. An item skips a trigger only if it is not allowed to run the
 * fire, or if the trigger does not request the item.
 *
 * <p>The times of fires are compared with the owner's clock at the decision, minus the item's share of the jitter. The
 * misfire threshold comes from the definition. If the definition has none, the engine derives the threshold from the
 * session timeout. A history does not show this timeout, so in this case the check accepts the newest fire as misfired.
 *
 * <p>A run counts as timed out only if its job has a time limit and the run, with all attempts and pauses, took at
 * least that long by the server's clock. A run is cancelled for a later fire only if its job's overlap policy says so.
 */
final class TrueReasons extends Invariant {
    /** Precision of the server's time. */
    private static final Duration PRECISION = Duration.ofMillis(1);

    /** Time limit of each item's last run. */
    private final Map<Item, Optional<Duration>> limits = new HashMap<>();

    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (plan == null || move.rewrites()) {
            return;
        }
        if (move.claims()) {
            limits.put(
                    move.item(),
                    plan.schedule
                            .limit()
                            .or(() -> timeout(before.definition(move.item().job()))));
        }
        if (move.ends()) {
            end(move, before);
        } else if (move.claims() && move.next().attempt() == 1) {
            begin(move, plan, before);
        } else if (!move.claims()
                && !move.ends()
                && move.next().triggerCursor() != move.before().triggerCursor()) {
            skip(move, plan, before);
        }
    }

    private static Optional<Duration> timeout(@Nullable JsonObject definition) {
        return definition != null && definition.has("timeout")
                ? Optional.of(Duration.parse(definition.get("timeout").getAsString()))
                : Optional.empty();
    }

    private void end(Move move, State before) {
        Item item = move.item();
        Claim claim = before.latestClaim(item);
        JsonObject definition = before.definition(item.job());
        if (claim == null || definition == null) {
            return;
        }
        String outcome = move.next().outcome();
        if (outcome.equals("TIMED_OUT")) {
            Duration took = Duration.between(claim.at(), move.by().at()).plus(PRECISION);
            boolean over =
                    limits.getOrDefault(item, Optional.empty()).stream().anyMatch(limit -> took.compareTo(limit) >= 0);
            expect(over, "a run that timed out has exceeded its time limit, after " + took, move, item);
        } else if (outcome.equals("CANCELLED")) {
            boolean wanted = move.next().stoppedByOperator()
                    ? before.stopped(item, fire(move.next()))
                    : Undecided.type(definition.getAsJsonObject("overlap")).equals("cancelRunning")
                            && !move.next().triggered();
            expect(wanted, "only a policy for later fires cancels a run, or a stop of its fire", move, item);
        }
    }

    /** Returns the id that a stop of this record's fire would contain. */
    private static String fire(WrittenRecord record) {
        return record.triggered() ? record.fire() : record.fire() + "." + record.incarnation;
    }

    private void begin(Move move, WrittenPlan plan, State before) {
        String job = move.item().job();
        JsonObject definition = before.definition(job);
        if (definition == null || !plan.schedule.isRhythm() || !before.isCurrent(job, plan)) {
            return; // the definition has changed, or this class cannot parse the schedule
        }
        Duration shift = plan.schedule.shift(move.item());
        Instant now = decidedAt(move.next()).minus(shift);
        Instant window = definition.has("catchUpWindow")
                ? now.minus(Duration.parse(definition.get("catchUpWindow").getAsString()))
                : Instant.MIN;
        Instant onTime = definition.has("misfireThreshold")
                ? now.minus(Duration.parse(definition.get("misfireThreshold").getAsString()))
                : Instant.MAX;
        Undecided undecided = new Undecided(plan, move.before(), shift, now, window, onTime);
        for (WrittenRecord.Skipped each : move.next().skipped()) {
            if (!each.to().isAfter(plan.since())) {
                continue; // a fire of the former schedule
            }
            boolean justified =
                    switch (each.reason()) {
                        case "SKIPPED_BY_OPERATOR" -> plan.skips(each.to());
                        case "RAN_AHEAD" -> ranAhead(move.before(), each);
                        case "MISFIRED" -> undecided.misfired(each, definition.getAsJsonObject("misfire"));
                        case "OVERLAPPED", "COALESCED" ->
                            undecided.overlapped(each, definition.getAsJsonObject("overlap"));
                        default -> false;
                    };
            expect(justified, "the job's policies justify " + each, move, move.item());
        }
    }

    /**
     * Returns the owner's clock at the decision. The owner reads its clock again for the start of the run. The start is
     * earlier if the clock was set back in between.
     */
    private static Instant decidedAt(WrittenRecord claimed) {
        Instant startedAt = claimed.startedAt();
        return claimed.busySince().isAfter(startedAt) ? claimed.busySince() : startedAt;
    }

    /** Returns whether a skipped fire is the fire that the item ran before an operator set back its cursor. */
    private static boolean ranAhead(WrittenRecord last, WrittenRecord.Skipped each) {
        JsonObject setBack = last.setBack();
        return setBack != null
                && setBack.has("ran")
                && each.count() == 1
                && each.to().equals(Instant.parse(setBack.get("ran").getAsString()));
    }

    /**
     * The fires that an item had to decide.
     *
     * @param now owner's clock minus the item's jitter; the jitter is subtracted from all times that are compared with
     *     fires
     * @param window fires up to this time are too old to catch up
     * @param onTime fires up to this time are late; the newest fire is on time if it is due after this time
     */
    private record Undecided(
            WrittenPlan plan, WrittenRecord last, Duration shift, Instant now, Instant window, Instant onTime) {
        Optional<Instant> endedAt() {
            return last.endedAt().map(at -> at.minus(shift));
        }

        Instant busySince() {
            return last.busySince().minus(shift);
        }

        /**
         * Returns whether the fires lie outside of the item's busy time, and whether the policy lets the item skip
         * them.
         */
        boolean misfired(WrittenRecord.Skipped each, JsonObject policy) {
            Optional<Instant> endedAt = endedAt();
            boolean apart = endedAt.isEmpty()
                    || !each.to().isAfter(busySince())
                    || each.from().isAfter(endedAt.get());
            long later = count(each.to(), now) - busyAfter(each.to());
            boolean tooOld = !each.to().isAfter(window);
            return apart
                    && switch (type(policy)) {
                        case "fireOnce" -> tooOld || later >= 1;
                        case "fireAll" -> tooOld || later >= policy.get("max").getAsInt();
                        default -> later >= 1 || !each.to().isAfter(onTime);
                    };
        }

        /**
         * Returns whether the fires lie inside of the item's busy time, and whether the policy lets the item skip them.
         */
        boolean overlapped(WrittenRecord.Skipped each, JsonObject policy) {
            Optional<Instant> endedAt = endedAt();
            boolean within = endedAt.isPresent()
                    && each.from().isAfter(busySince())
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

        /** Returns the number of fires after the given one in the item's busy time. */
        private long busyAfter(Instant fire) {
            Instant endedAt = endedAt().orElse(Instant.MIN);
            if (endedAt.equals(Instant.MIN)) {
                return 0;
            }
            Instant from = fire.isAfter(busySince()) ? fire : busySince();
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
        for (WrittenRecord.Skipped each : move.next().skipped()) {
            boolean justified =
                    switch (each.reason()) {
                        case "QUARANTINED" -> move.before().state.equals("QUARANTINED");
                        case "DISABLED" -> before.everWanted(item.job(), plan, "disabledItems", key);
                        case "REMOVED" -> plan.closed() && plan.target() == 0;
                        case "ITEM_COUNT_CHANGED" ->
                            before.triggers(move.next().triggerCursor())
                                    .anyMatch(trigger -> trigger.get("total").getAsInt() > 0
                                            && trigger.get("total").getAsInt() != plan.total);
                        case "NOT_CONCERNED" -> !awaits(item, move.next().triggerCursor(), before);
                        case "STOPPED" ->
                            before.triggers(move.next().triggerCursor())
                                    .anyMatch(trigger -> before.stopped(
                                            item, trigger.get("runId").getAsString()));
                        default -> false;
                    };
            expect(justified, "the job's policies justify " + each, move, item);
        }
    }

    /**
     * Returns whether a trigger requests an item. If the trigger's fire has started, it must also still wait for the
     * item.
     */
    private static boolean awaits(Item item, long czxid, State before) {
        String key = '"' + item.key() + '"';
        return before.triggers(czxid).anyMatch(trigger -> {
            String items = String.valueOf(trigger.get("items"));
            State.Node progress = before.node(
                    "/jobs/" + item.job() + "/fires/" + trigger.get("runId").getAsString());
            boolean begunWithout = progress != null
                    && !State.json(progress.data()).get("left").toString().contains(key);
            return (items.equals("null") || items.equals("[]") || items.contains(key)) && !begunWithout;
        });
    }
}
