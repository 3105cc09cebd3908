package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * I4: what is left out is left out for a reason that there was: nothing that its job's policies keep, as overlapped only
 * what came while the item was busy, a trigger only where its item may not run or isn't asked for.
 *
 * <p>Decided is by the owner's clock, which its claim tells, put back by the item's share of a jitter. The age from which
 * a fire is misfired stands in the definition; where it doesn't, it comes from the session's timeout, which no history
 * tells: that the latest of all fires was too old is taken on trust then where the policy drops it.
 *
 * <p>What ends by its time limit has one, and has taken so long by the server's clock, tries and pauses together; what
 * ends for a later fire is of a job that wants that.
 */
final class TrueReasons extends Invariant {
    /** Of what the server keeps of an instant. */
    private static final Duration PRECISION = Duration.ofMillis(1);

    /** How long each item's last run might take. */
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
            expect(over, "its time limit was over, after " + took, move, item);
        } else if (outcome.equals("CANCELLED")) {
            boolean wanted =
                    Undecided.type(definition.getAsJsonObject("overlap")).equals("cancelRunning")
                            && !move.next().triggered();
            expect(wanted, "a later fire takes the place of what runs", move, item);
        }
    }

    private void begin(Move move, WrittenPlan plan, State before) {
        String job = move.item().job();
        JsonObject definition = before.definition(job);
        if (definition == null || !plan.schedule.isRhythm() || !before.isCurrent(job, plan)) {
            return; // decided by a definition that is gone, or under a schedule that isn't understood here
        }
        Duration shift = plan.schedule.shift(move.item());
        Instant now = move.next().startedAt().minus(shift);
        Instant window = definition.has("catchUpWindow")
                ? now.minus(Duration.parse(definition.get("catchUpWindow").getAsString()))
                : Instant.MIN;
        Instant onTime = definition.has("misfireThreshold")
                ? now.minus(Duration.parse(definition.get("misfireThreshold").getAsString()))
                : Instant.MAX;
        Undecided undecided = new Undecided(plan, move.before(), shift, now, window, onTime);
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

    /**
     * The fires that an item had to decide.
     *
     * @param now the owner's clock, as the item lives by it; as all that is compared with fires
     * @param window what is older is never caught up
     * @param onTime what is younger, and the latest, is on time
     */
    private record Undecided(
            WrittenPlan plan, WrittenRecord last, Duration shift, Instant now, Instant window, Instant onTime) {
        Optional<Instant> endedAt() {
            return last.endedAt().map(at -> at.minus(shift));
        }

        Instant busySince() {
            return last.busySince().minus(shift);
        }

        /** Apart from what the item was busy with, and none of the latest that the policy keeps. */
        boolean misfired(WrittenRecord.LeftOut each, JsonObject policy) {
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

        /** While the item was busy, and none of the latest that the policy keeps. */
        boolean overlapped(WrittenRecord.LeftOut each, JsonObject policy) {
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

        /** How many fires that came later fell into the item's busy time. */
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
