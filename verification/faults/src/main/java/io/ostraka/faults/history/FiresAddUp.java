package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
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
 * Checks I4: fires add up. Each fire that a record's cursor passes was claimed and has ended, or is counted in the
 * summary of skipped fires. The set of fires changes only when the schedule changes.
 *
 * <p>Only fires after the start of the plan's schedule are counted; earlier fires belong to the former schedule.
 */
final class FiresAddUp extends Invariant {
    /**
     * Longest time by which an instance may decide a fire too early by the server's clock. It includes the duration of
     * the write request.
     */
    private static final Duration EARLIEST = Duration.ofSeconds(11);

    /** For each item, the schedule of its last claim and the schedules that came into force after that claim. */
    private final Map<Item, List<WrittenSchedule>> schedules = new HashMap<>();

    /** Reasons for which an item may not run a fire. */
    private static final Set<String> BARRED = Set.of("NO_INSTANCE", "QUARANTINED", "DISABLED", "PAUSED");

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            boolean plan = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            WrittenPlan last = plan ? before.plan(parts[2]) : null;
            if (last != null
                    && write instanceof Write.Changed changed
                    && !changed.data().isEmpty()) {
                WrittenPlan next = before.writtenPlan(changed.data());
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
        boolean waits = next.waits() || last.waits() || (next.single() && !next.scope.equals(last.scope));
        if (next.firesAs(last) && !waits) {
            boolean same = next.since().equals(last.since()) && next.anchor().equals(last.anchor());
            expect(same, "an unchanged schedule keeps its start", plans, null);
        } else {
            boolean from = !next.since().isBefore(last.since())
                    && !next.since().isAfter(by.at().plus(EARLIEST));
            expect(
                    from,
                    "another schedule, or one that has waited for an item, starts at the time of its plan",
                    plans,
                    null);
        }
    }

    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (move.claims() && plan != null) {
            schedules.put(move.item(), new ArrayList<>(List.of(plan.schedule)));
        }
        if (move.plants() || move.setsBack()) {
            return; // SkipsKept checks the command
        }
        if (move.rewrites()) {
            rewrite(move, plan, before);
        } else if (move.claims() && move.next().attempt() == 1) {
            begin(move, plan);
        } else if (plan != null && joins(move, plan)) {
            join(move, plan);
        } else if (plan != null && stops(move)) {
            stop(move, plan, before);
        } else if (plan != null && skips(move, plan)) {
            skip(move, plan, before);
        } else if (plan != null && endsWithoutItem(move, before)) {
            endWithoutItem(move, plan, before);
        } else {
            other(move);
            if (move.ends()) {
                pause(move);
            }
        }
    }

    /** Checks that the pause before the next run agrees with the outcome, if the schedule depends on outcomes. */
    private void pause(Move move) {
        WrittenRecord next = move.next();
        String pause = next.currentDelay().map(Duration::toString).orElse("");
        Set<String> possible = new TreeSet<>();
        schedules
                .getOrDefault(move.item(), List.of())
                .forEach(schedule -> possible.addAll(
                        schedule.pausesAfter(next.outcome(), move.before().currentDelay())));
        // the end of a run that was handed over has no outcome of its code; the same instance may write this end
        boolean byOwner = next.ownerSession() == move.by().session()
                && move.before().state.equals("RUNNING");
        expect(!byOwner || possible.contains(pause), "the next pause is one of " + possible, move, move.item());
    }

    private void begin(Move move, @Nullable WrittenPlan plan) {
        Item item = move.item();
        WrittenRecord next = move.next();
        boolean ahead = next.cursor.isAfter(move.by().at().plus(EARLIEST))
                && !next.cursor.equals(move.before().cursor); // a trigger may run although the cursor is in the future
        expect(!ahead, "no future fire is decided", move, item);
        if (plan == null || !plan.schedule.isUnderstood()) {
            return;
        }
        Instant from = later(move.before().cursor, plan.since());
        Instant decided = later(next.cursor, from);
        long skipped = next.skipped().stream()
                .filter(each -> each.to().isAfter(from))
                .mapToLong(WrittenRecord.Skipped::count)
                .sum();
        expect(
                skipped == plan.schedule.fires(move.before(), from, decided),
                "the record counts as skipped every fire that the cursor passes",
                move,
                item);
        if (!next.triggered()) {
            Optional<Instant> due =
                    plan.schedule.isPause() ? plan.schedule.due(move.before()) : plan.schedule.next(decided);
            boolean first = due.equals(Optional.of(next.fireTime()));
            expect(first, "the claimed fire is the first that is not skipped", move, item);
        }
    }

    /**
     * Returns whether an item returns to the plan because its instance hosts the job again or its zone has instances
     * again.
     */
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

    /** Checks that the record counts the fires that the item skipped while it was not in the plan. */
    private void join(Move move, WrittenPlan plan) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        boolean ahead = next.cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(!ahead, "no future fire is decided", move, move.item());
        if (last.state.equals("RETIRED")) {
            return; // the item was not in the plan when its job returned, so it has no earlier fires to count
        }
        Instant from = later(last.cursor, plan.since());
        long passed = from.isBefore(next.cursor) ? plan.schedule.fires(last, from, next.cursor) : 0;
        long skipped = next.skipped().stream()
                .filter(each -> each.to().isAfter(from))
                .filter(each -> each.reason().equals("NO_INSTANCE"))
                .mapToLong(WrittenRecord.Skipped::count)
                .sum();
        boolean counted = !plan.schedule.isUnderstood()
                || passed == skipped
                || (last.cursor.isBefore(plan.since()) && skipped > passed);
        expect(
                counted,
                "the record counts the fires that the item skipped while it was not in the plan",
                move,
                move.item());
    }

    /** Returns whether an item skips a scheduled fire because an operator has stopped that fire. */
    private static boolean stops(Move move) {
        return !move.before().unfinished()
                && !move.next().unfinished()
                && move.next().cursor.isAfter(move.before().cursor)
                && move.next().skipped().stream().anyMatch(each -> each.reason().equals("STOPPED"));
    }

    /**
     * Checks a write that skips a fire because an operator has stopped it. All fires between the old and the new cursor
     * must be counted as skipped, and the last of them must be the stopped fire.
     */
    private void stop(Move move, WrittenPlan plan, State before) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        WrittenRecord.Skipped stopped = next.skipped().get(next.skipped().size() - 1);
        boolean wanted = stopped.reason().equals("STOPPED")
                && stopped.count() == 1
                && stopped.to().equals(next.cursor)
                && before.stopped(move.item(), next.cursor.toEpochMilli() + "." + next.incarnation);
        expect(wanted, "an item skips only a fire that an operator has stopped", move, move.item());
        Instant from = later(last.cursor, plan.since());
        long skipped = next.skipped().stream()
                .filter(each -> each.to().isAfter(from))
                .mapToLong(WrittenRecord.Skipped::count)
                .sum();
        boolean counted = !plan.schedule.isUnderstood() || skipped == plan.schedule.fires(last, from, next.cursor);
        expect(counted, "the record counts as skipped every fire that the cursor passes", move, move.item());
    }

    /**
     * Returns whether an item skips fires without a claim. It does so in two cases: an operator has skipped a fire with
     * once-listeners, or the schedule has no later fire. Otherwise, the claim of the later fire skips the fires before
     * it.
     */
    private static boolean skips(Move move, WrittenPlan plan) {
        WrittenRecord next = move.next();
        return !move.before().unfinished()
                && !next.unfinished()
                && next.cursor.isAfter(move.before().cursor)
                && (next.skipped().stream().anyMatch(each -> each.reason().equals("SKIPPED_BY_OPERATOR"))
                        || (isOver(plan.schedule, later(next.cursor, plan.since()))
                                && next.skipped().stream().noneMatch(each -> BARRED.contains(each.reason()))));
    }

    private static boolean isOver(WrittenSchedule schedule, Instant cursor) {
        return (schedule.isRhythm() || schedule.single().isPresent())
                && schedule.next(cursor).isEmpty();
    }

    /**
     * Checks a write that skips fires without a claim. All fires between the old and the new cursor must be counted as
     * skipped. A fire after the start of the plan's schedule must not be counted as a fire of a former schedule.
     */
    private void skip(Move move, WrittenPlan plan, State before) {
        WrittenRecord next = move.next();
        boolean ahead = next.cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(!ahead, "no future fire is decided", move, move.item());
        expect(
                counts(move, plan, before),
                "the record counts as skipped every fire that the cursor passes",
                move,
                move.item());
        boolean former = next.skipped().stream()
                .filter(each -> each.reason().equals("SCHEDULE_CHANGED"))
                .noneMatch(each -> each.to().isAfter(plan.since()) && !early(each, move, plan, before));
        expect(former, "only fires of a former schedule are skipped because it was replaced", move, move.item());
        expect(!next.skipped().isEmpty(), "an item that skips fires records them", move, move.item());
    }

    /**
     * Returns whether a record counts as skipped each fire of the plan's schedule between the old and the new cursor,
     * and the fire at the new cursor even if it is not in the schedule.
     */
    private static boolean counts(Move move, WrittenPlan plan, State before) {
        WrittenRecord next = move.next();
        Instant from = later(move.before().cursor, plan.since());
        long skipped = next.skipped().stream()
                .filter(each -> each.to().isAfter(from) && !early(each, move, plan, before))
                .mapToLong(WrittenRecord.Skipped::count)
                .sum();
        return next.skipped().stream().anyMatch(each -> each.to().equals(next.cursor))
                && (!plan.schedule.isUnderstood()
                        || skipped == plan.schedule.fires(move.before(), from, later(next.cursor, from)));
    }

    /**
     * Returns whether these are all fires that other items have begun, that this item has not begun, and that neither
     * the plan's schedule nor a former one contains. Instances with fast clocks have begun them under a schedule that was replaced
     * before the fires were due.
     */
    private static boolean early(WrittenRecord.Skipped each, Move move, WrittenPlan plan, State before) {
        if (!each.reason().equals("SCHEDULE_CHANGED") || !each.to().isAfter(plan.since())) {
            return false;
        }
        String end = "." + move.before().incarnation;
        Set<Instant> begun = new TreeSet<>();
        before.below("/jobs/" + move.item().job() + "/fires").forEach((path, node) -> {
            String name = State.name(path);
            boolean left = State.json(node.data())
                    .getAsJsonArray("left")
                    .contains(new JsonPrimitive(move.item().key()));
            if (name.endsWith(end) && left) {
                begun.add(Instant.ofEpochMilli(Long.parseLong(name.substring(0, name.length() - end.length()))));
            }
        });
        begun.removeIf(at -> at.isBefore(each.from())
                || at.isAfter(each.to())
                || plan.schedule.fires(move.before(), at.minusMillis(1), at) > 0
                || wasFormerFire(at, move.before(), plan));
        return each.count() == begun.size();
    }

    /** Returns whether a schedule that the plan names as replaced had a fire at an instant at which it was in force. */
    private static boolean wasFormerFire(Instant at, WrittenRecord record, WrittenPlan plan) {
        for (JsonElement each : plan.json.getAsJsonArray("former")) {
            JsonObject former = each.getAsJsonObject();
            boolean inForce = at.isAfter(instant(former, "since")) && !at.isAfter(instant(former, "until"));
            var schedule = new WrittenSchedule(former.getAsJsonObject("schedule"), instant(former, "anchor"));
            if (inForce && schedule.isUnderstood() && schedule.fires(record, at.minusMillis(1), at) > 0) {
                return true;
            }
        }
        return false;
    }

    private static Instant instant(JsonObject json, String field) {
        return Instant.parse(json.get(field).getAsString());
    }

    /** Returns whether an item skips a fire so that the once-listeners of the fire do not wait for the item. */
    private static boolean endsWithoutItem(Move move, State before) {
        JsonObject definition = before.definition(move.item().job());
        return definition != null
                && definition.has("onceListeners")
                && !move.before().unfinished()
                && !move.next().unfinished()
                && move.next().cursor.isAfter(move.before().cursor);
    }

    /**
     * Checks a write that skips a fire so that the fire can end without the item. The item must not be allowed to run
     * the fire, and all fires between the old and the new cursor must be counted as skipped.
     */
    private void endWithoutItem(Move move, WrittenPlan plan, State before) {
        WrittenRecord last = move.before();
        Item item = move.item();
        boolean quarantined = last.state.equals("QUARANTINED");
        boolean disabled = before.plannedBy(item.job(), plan, "disabledItems", '"' + item.key() + '"');
        boolean paused = before.plannedBy(item.job(), plan, "paused", "true");
        boolean unowned = !plan.numbered() && !plan.has(item.key());
        Instant from = later(last.cursor, plan.since());
        boolean replaced =
                !plan.schedule.isUnderstood() || plan.schedule.fires(last, from, later(move.next().cursor, from)) == 0;
        boolean barred = quarantined || disabled || paused || unowned || replaced;
        expect(barred, "an item skips a fire only if it is barred from the fire", move, item);
        String reason = unowned ? "NO_INSTANCE" : quarantined ? "QUARANTINED" : disabled ? "DISABLED" : "PAUSED";
        boolean named = move.next().skipped().stream()
                .allMatch(each -> each.reason().equals(reason)
                        || (each.reason().equals("SCHEDULE_CHANGED")
                                && (!each.to().isAfter(plan.since()) || early(each, move, plan, before))));
        expect(
                named && counts(move, plan, before),
                "the record counts as skipped every fire that the cursor passes",
                move,
                item);
    }

    /** Checks any other write of a record. Such a write decides only the fire that it ends, or skips one trigger. */
    private void other(Move move) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        boolean ends = move.ends() && !next.triggered();
        Instant decided = ends ? later(last.cursor, next.fireTime()) : last.cursor;
        expect(next.cursor.equals(decided), "an end decides only its own fire", move, move.item());
        boolean skips = !move.ends() && next.triggerCursor() != last.triggerCursor();
        boolean kept = skips ? next.numberSkipped() == 1 : next.skipped().equals(last.skipped());
        expect(kept, "the skipped fires stay in the record until the next decision", move, move.item());
    }

    /**
     * Checks that the record counts the fires that a change of the item count skips. Checks nothing if the change
     * removes the job.
     */
    private void rewrite(Move move, @Nullable WrittenPlan plan, State before) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        if (plan == null) {
            return;
        }
        boolean counts = plan.schedule.isUnderstood()
                && !(plan.closed() && plan.target() == 0)
                && !last.state.equals("RETIRED")
                && before.isCurrent(move.item().job(), plan); // the same transaction may write another schedule
        if (!counts) {
            return;
        }
        Instant from = later(last.cursor, plan.since());
        long passed = from.isBefore(next.cursor) ? plan.schedule.fires(last, from, next.cursor) : 0;
        List<WrittenRecord.Skipped> summary = next.skipped();
        boolean former = last.cursor.isBefore(plan.since());
        boolean recorded = summary.stream().allMatch(each -> each.reason().equals("ITEM_COUNT_CHANGED"))
                && (next.numberSkipped() == passed || (former && next.numberSkipped() > passed));
        boolean same = summary.equals(last.skipped());
        expect(
                recorded || (passed == 0 && same),
                "a change of the item count records the fires that it skips",
                move,
                move.item());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
