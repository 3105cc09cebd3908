package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * I4: fires add up. Each that a record's cursor passes is the one that was claimed and has ended, or stands in the summary
 * of what was left out; and nothing but another schedule changes which fires there are.
 *
 * <p>Counted is from the instant that the plan's schedule counts from: what was due before it was another schedule's.
 */
final class FiresAddUp extends Invariant {
    /** How far a clock may be ahead of the server's for it to decide, and how long a write is under way. */
    private static final Duration EARLIEST = Duration.ofSeconds(11);

    /** By each item's last claim, the schedule that it was made under, and those that have come into force since. */
    private final Map<Item, List<WrittenSchedule>> schedules = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            boolean plan = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            WrittenPlan last = plan ? before.plan(parts[2]) : null;
            if (last != null
                    && write instanceof Write.Changed changed
                    && !changed.data().isEmpty()) {
                WrittenPlan next = new WrittenPlan(State.json(changed.data()));
                planned(last, next, transaction);
                schedules.forEach((item, all) -> {
                    if (item.job().equals(parts[2])) {
                        all.add(next.schedule);
                    }
                });
            }
        }
    }

    private void planned(WrittenPlan last, WrittenPlan next, Event.Transaction by) {
        String plans = last.json + " to " + next.json;
        if (next.firesAs(last)) {
            boolean same = next.since().equals(last.since()) && next.anchor().equals(last.anchor());
            expect(same, "a schedule that stays counts on from where it did", plans, null);
        } else {
            boolean from = !next.since().isBefore(last.since())
                    && !next.since().isAfter(by.at().plus(EARLIEST));
            expect(from, "another schedule counts from when it is planned", plans, null);
        }
    }

    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (move.claims() && plan != null) {
            schedules.put(move.item(), new ArrayList<>(List.of(plan.schedule)));
        }
        if (move.rewrites()) {
            rewrite(move, plan, before);
        } else if (move.claims() && move.next().attempt() == 1) {
            begin(move, plan);
        } else if (plan != null && joins(move, plan)) {
            join(move, plan);
        } else if (plan != null && leavesOut(move, before)) {
            leaveOut(move, plan, before);
        } else {
            goOn(move);
            if (move.ends()) {
                pause(move);
            }
        }
    }

    /** How a run ended decides on the pause before the next, where the schedule says so. */
    private void pause(Move move) {
        WrittenRecord next = move.next();
        String pause = next.currentDelay().map(Duration::toString).orElse("");
        Set<String> possible = new TreeSet<>();
        schedules
                .getOrDefault(move.item(), List.of())
                .forEach(schedule -> possible.addAll(
                        schedule.pausesAfter(next.outcome(), move.before().currentDelay())));
        // the end of a run that was handed over is decided without it, though the same instance may decide
        boolean byOwner = next.ownerSession() == move.by().session()
                && move.before().state.equals("RUNNING");
        expect(!byOwner || possible.contains(pause), "a pause of " + possible + " follows", move, move.item());
    }

    private void begin(Move move, @Nullable WrittenPlan plan) {
        Item item = move.item();
        WrittenRecord next = move.next();
        boolean ahead = next.cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(!ahead, "what is to come is not decided", move, item);
        if (plan == null || !plan.schedule.isUnderstood()) {
            return;
        }
        Instant from = later(move.before().cursor, plan.since());
        Instant decided = later(next.cursor, from);
        long told = next.leftOut().stream()
                .filter(each -> each.to().isAfter(from))
                .mapToLong(WrittenRecord.LeftOut::count)
                .sum();
        expect(
                told == plan.schedule.fires(move.before(), from, decided),
                "every fire that the cursor passes is told of",
                move,
                item);
        if (!next.triggered()) {
            Optional<Instant> due =
                    plan.schedule.isPause() ? plan.schedule.due(move.before()) : plan.schedule.next(decided);
            boolean first = due.equals(Optional.of(next.fireTime()));
            expect(first, "the fire that begins is the first that is not left out", move, item);
        }
    }

    /** Whether the item of an instance that hosts the job again, or of a zone that was away, comes into the plan again. */
    private static boolean joins(Move move, WrittenPlan plan) {
        boolean back =
                move.before().state.equals("RETIRED") && move.next().state.equals("IDLE");
        boolean stays =
                plan.scope.equals(WrittenPlan.BROADCAST) && move.next().state.equals(move.before().state);
        return !plan.numbered()
                && !plan.has(move.item().key())
                && !move.before().unfinished()
                && (back || stays)
                && move.by().writes().stream()
                        .anyMatch(write -> write instanceof Write.Changed changed
                                && changed.path().equals("/jobs/" + move.item().job() + "/sharding")
                                && new WrittenPlan(State.json(changed.data()))
                                        .has(move.item().key()));
    }

    /** What came while it took no part is left out, and told. */
    private void join(Move move, WrittenPlan plan) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        boolean ahead = next.cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(!ahead, "what is to come is not decided", move, move.item());
        if (last.state.equals("RETIRED")) {
            return; // it was not there when its job came back: what its fires were is history
        }
        Instant from = later(last.cursor, plan.since());
        long passed = from.isBefore(next.cursor) ? plan.schedule.fires(last, from, next.cursor) : 0;
        long told = next.leftOut().stream()
                .filter(each -> each.to().isAfter(from))
                .filter(each -> each.reason().equals("NO_INSTANCE"))
                .mapToLong(WrittenRecord.LeftOut::count)
                .sum();
        boolean counted = !plan.schedule.isUnderstood()
                || passed == told
                || (last.cursor.isBefore(plan.since()) && told > passed);
        expect(counted, "what came while an instance took no part is told", move, move.item());
    }

    /** Whether a fire that once-listeners are told of goes on without an item. */
    private static boolean leavesOut(Move move, State before) {
        JsonObject definition = before.definition(move.item().job());
        return definition != null
                && definition.has("onceListeners")
                && !move.before().unfinished()
                && !move.next().unfinished()
                && move.next().cursor.isAfter(move.before().cursor);
    }

    /** An item that isn't to run a fire decides it, so that its end can be told: all that its cursor passes is told of. */
    private void leaveOut(Move move, WrittenPlan plan, State before) {
        WrittenRecord last = move.before();
        Item item = move.item();
        boolean quarantined = last.state.equals("QUARANTINED");
        boolean disabled = before.plannedBy(item.job(), plan, "disabledItems", '"' + item.key() + '"');
        boolean paused = before.plannedBy(item.job(), plan, "paused", "true");
        boolean nobody = !plan.numbered() && !plan.has(item.key());
        boolean meant = quarantined || disabled || paused || nobody;
        expect(meant, "only who isn't to run is left out", move, item);
        String reason = nobody ? "NO_INSTANCE" : quarantined ? "QUARANTINED" : disabled ? "DISABLED" : "PAUSED";
        Instant from = later(last.cursor, plan.since());
        boolean counted =
                move.next().leftOut().stream().allMatch(each -> each.reason().equals(reason))
                        && (!plan.schedule.isUnderstood()
                                || last.cursor.isBefore(plan.since())
                                || move.next().numberLeftOut() == plan.schedule.fires(last, from, move.next().cursor));
        expect(counted, "every fire that the cursor passes is told of", move, item);
    }

    /** What is no first claim decides nothing but what was claimed, by its end, or one trigger that isn't to be run. */
    private void goOn(Move move) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        boolean ends = move.ends() && !next.triggered();
        Instant decided = ends ? later(last.cursor, next.fireTime()) : last.cursor;
        expect(next.cursor.equals(decided), "an end decides its own fire and no other", move, move.item());
        boolean skips = !move.ends() && next.triggerCursor() != last.triggerCursor();
        boolean told = skips ? next.numberLeftOut() == 1 : next.leftOut().equals(last.leftOut());
        expect(told, "what was left out is told until more is decided", move, move.item());
    }

    /** A change of the item count: what the new cursor passes of this item's fires is told, but for those of a removed job. */
    private void rewrite(Move move, @Nullable WrittenPlan plan, State before) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        if (plan == null) {
            return;
        }
        boolean counts = plan.schedule.isUnderstood()
                && !(plan.closed() && plan.target() == 0)
                && !last.state.equals("RETIRED")
                && before.isCurrent(move.item().job(), plan); // the same write may bring another schedule
        if (!counts) {
            return;
        }
        Instant from = later(last.cursor, plan.since());
        long passed = from.isBefore(next.cursor) ? plan.schedule.fires(last, from, next.cursor) : 0;
        List<WrittenRecord.LeftOut> summary = next.leftOut();
        boolean former = last.cursor.isBefore(plan.since());
        boolean told = summary.stream().allMatch(each -> each.reason().equals("ITEM_COUNT_CHANGED"))
                && (next.numberLeftOut() == passed || (former && next.numberLeftOut() > passed));
        boolean same = summary.equals(last.leftOut());
        expect(told || (passed == 0 && same), "what a change of the item count passes over is told", move, move.item());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
