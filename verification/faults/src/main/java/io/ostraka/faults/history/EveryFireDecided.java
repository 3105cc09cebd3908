package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Checks I4: every due fire of every enabled item runs, or is skipped for a recorded reason. No scheduled fire starts
 * before its time or while the job is paused. Only an operator or a change of the item count decreases a cursor. A
 * record is deleted only when its job is removed; the record of an instance's item is also deleted when the instance
 * and the item's last fire have ended.
 */
final class EveryFireDecided extends Invariant {
    /**
     * Longest time by which an owner may start a scheduled fire too early by the server's clock. It includes the
     * duration of the request that claims the fire.
     */
    private static final Duration EARLIEST = Duration.ofSeconds(10);

    private final Set<String> fires = new HashSet<>();
    private final Map<String, Integer> claimedInCalm = new HashMap<>();
    /**
     * Items that have ended the fire of a one-time schedule, by job, fire and incarnation. When all items have ended a
     * fire, {@code overOnce} contains the fire.
     */
    private final Map<String, Set<Item>> endedOnce = new HashMap<>();

    private final Set<String> overOnce = new HashSet<>();
    /**
     * Plans of each job, by the start of their schedule. Former plans are kept because an item also has to decide fires
     * of former schedules.
     */
    private final Map<String, NavigableMap<Instant, WrittenPlan>> schedules = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], write, before);
            }
            boolean record = parts.length == 5 && parts[1].equals("jobs") && parts[3].equals("sharding");
            if (record && write instanceof Write.Deleted && !before.deletesByHand(transaction)) {
                Item item = new Item(parts[2], parts[4]);
                WrittenPlan plan = before.plan(item.job());
                boolean removed = plan == null || (plan.total == 0 && !plan.closed());
                boolean gone = plan != null
                        && plan.scope.equals(WrittenPlan.BROADCAST)
                        && !before.exists("/instances/" + item.key());
                expect(removed || gone, "a record exists as long as its job", write, item);
                WrittenRecord last = before.record(item);
                boolean ended = last == null || !last.unfinished();
                expect(removed || ended, "an ended instance's fire ends before its record is deleted", last, item);
            } else if (record && write instanceof Write.Created created) {
                Item item = new Item(parts[2], parts[4]);
                WrittenRecord born = before.writtenRecord(created.data());
                // a change of the item count copies the cursor of an old item, and a person may have set that cursor to
                // the future
                boolean knows = !born.cursor.isAfter(transaction.at().plus(EARLIEST))
                        || before.records(item.job()).values().stream()
                                .anyMatch(known -> known.cursor.equals(born.cursor));
                expect(knows, "a new record passes no future fire", born, item);
            }
        }
    }

    private void planned(String job, Write write, State before) {
        String data = write.data();
        if (!data.isEmpty()) {
            WrittenPlan plan = before.writtenPlan(data);
            NavigableMap<Instant, WrittenPlan> all = schedules.computeIfAbsent(job, key -> new TreeMap<>());
            all.tailMap(plan.since(), true).clear(); // a plan that replaces a lost plan starts earlier
            all.put(plan.since(), plan);
        }
    }

    /**
     * Returns the number of an item's fires in a time span, according to the schedules that were in force in that span.
     * Returns empty if this class cannot parse one of these schedules.
     */
    private OptionalLong fires(String job, WrittenRecord record, Instant after, Instant upTo) {
        long count = 0;
        Instant until = upTo;
        for (WrittenPlan plan : schedules
                .getOrDefault(job, Collections.emptyNavigableMap())
                .descendingMap()
                .values()) {
            Instant from = after.isBefore(plan.since()) ? plan.since() : after;
            if (from.isBefore(until)) {
                if (!plan.schedule.isUnderstood()) {
                    return OptionalLong.empty();
                }
                count += plan.schedule.fires(record, from, until);
                until = plan.since();
            }
        }
        return OptionalLong.of(count);
    }

    @Override
    void move(Move move, State before) {
        boolean back = move.next().cursor.isBefore(move.before().cursor) && !move.rewrites() && !move.setsBack();
        expect(!back, "the cursor never decreases", move, move.item());
        boolean triggersBack = move.next().triggerCursor() < move.before().triggerCursor() && !move.rewrites();
        expect(!triggersBack, "the trigger cursor never decreases", move, move.item());
        if (move.rewrites()) {
            rewrite(move, before);
        } else if (move.claims() && move.next().attempt() == 1) {
            begin(move, before);
        } else if (move.ends() && !move.next().triggered()) {
            WrittenPlan plan = before.plan(move.item().job());
            if (plan != null
                    && plan.schedule.single().equals(Optional.of(move.next().fireTime()))) {
                endOnce(move, plan);
            }
        }
    }

    private void endOnce(Move move, WrittenPlan plan) {
        String fire = once(move, plan);
        Set<Item> ended = endedOnce.computeIfAbsent(fire + "/" + move.next().incarnation, key -> new HashSet<>());
        ended.add(move.item());
        if (ended.stream().map(Item::key).collect(Collectors.toSet()).containsAll(plan.keys())) {
            overOnce.add(fire);
        }
    }

    /** Returns the name of a one-time fire. A later plan may give the same fire another time. */
    private static String once(Move move, WrittenPlan plan) {
        return move.item().job() + " at " + plan.schedule.instant().orElseThrow();
    }

    private void begin(Move move, State before) {
        Item item = move.item();
        WrittenPlan plan = before.plan(item.job());
        if (plan == null) {
            return; // another invariant reports a claim without a plan
        }
        expect(
                !before.wanted(item.job(), plan, "disabledItems", '"' + item.key() + '"'),
                "no disabled item starts",
                move,
                item);
        boolean triggered = move.next().triggered();
        Instant upTo = triggered ? move.next().cursor : move.next().fireTime();
        boolean all = fires(item.job(), move.before(), move.before().cursor, upTo).stream()
                .allMatch(due -> due == move.next().numberSkipped() + (triggered ? 0 : 1));
        expect(all, "every fire after " + move.before().cursor + " runs or is skipped", move, item);
        if (triggered) {
            return;
        }
        expect(!plan.closed(), "no scheduled fire starts under a closed plan", move, item);
        expect(
                !before.wanted(item.job(), plan, "paused", "true"),
                "no scheduled fire starts while the job is paused",
                move,
                item);
        if (plan.schedule.single().isPresent()) {
            expect(
                    !overOnce.contains(once(move, plan)),
                    "a one-time fire never starts again after all items have ended it",
                    move,
                    item);
        } else if (!plan.schedule.isRhythm() && !plan.schedule.isPause()) {
            return;
        }
        Instant fire = move.next().fireTime();
        boolean due = !fire.isAfter(move.by().at().plus(EARLIEST).plusSeconds(1));
        expect(
                due,
                "no fire starts before its time, by the server's clock "
                        + move.by().at(),
                move,
                item);
        if (before.calm() != null) {
            claimedInCalm.merge(item + " at " + fire, 1, Integer::sum);
        }
        fires.add(item + " at " + fire);
    }

    /**
     * Checks the new cursor after a change of the item count. With failover on, the cursor must not pass a fire that
     * any item has not decided. With failover off, the cursor must have passed each fire that any item has decided.
     * Because the leader may have read an older override, the check covers only items that were enabled in the closed
     * plan's override and in all later overrides.
     */
    private void rewrite(Move move, State before) {
        Item item = move.item();
        WrittenPlan plan = before.plan(item.job());
        JsonObject definition = before.definition(item.job());
        if (plan == null || definition == null) {
            return;
        }
        boolean removed = plan.closed() && plan.target() == 0;
        boolean abandoned = removed && "INTERRUPTED".equals(move.next().outcome());
        boolean still = move.before().unfinished() && !abandoned;
        expect(!still, "an item is rewritten only after its fire has ended", move, item);
        expect(!before.exists(item.running()), "an item is rewritten only without a running node", move, item);
        if (removed) {
            return; // the removal of the job also removes its fires
        }
        if (!plan.numbered()) {
            rewriteUnnumbered(move);
            return;
        }
        boolean failover = definition.get("failover").getAsBoolean();
        before.records(item.job()).forEach((other, record) -> {
            boolean counts = before.exists(other.record())
                    && !List.of("RETIRED", "QUARANTINED").contains(record.state)
                    && record.incarnation == move.before().incarnation
                    && !before.everWanted(item.job(), plan, "disabledItems", '"' + other.key() + '"');
            boolean kept = failover
                    ? !move.next().cursor.isAfter(record.cursor)
                    : !move.next().cursor.isBefore(record.cursor);
            if (counts && !kept) {
                expected("the new cursor respects the cursor of " + other + ", " + record, move, item);
            }
        });
    }

    /**
     * Checks that an item without a number keeps its cursor. Only if the item retires or returns may the cursor
     * advance, at most to the present.
     */
    private void rewriteUnnumbered(Move move) {
        WrittenRecord last = move.before();
        boolean stays = !last.state.equals("RETIRED") && !move.next().state.equals("RETIRED");
        boolean own = stays
                ? move.next().cursor.equals(last.cursor)
                : !move.next().cursor.isBefore(last.cursor)
                        && !move.next().cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(own, "an item without a number keeps its cursor", move, move.item());
    }

    @Override
    void event(Event event, State before) {
        Instant calm = before.calm();
        if (event instanceof Event.Over && calm != null) {
            before.jobs().forEach(job -> onSchedule(job, calm, event.at(), before));
        }
    }

    /** Checks that every scheduled fire of the calm phase has started exactly once. */
    private void onSchedule(String job, Instant calm, Instant over, State before) {
        WrittenPlan plan = before.plan(job);
        boolean goesOn = plan != null && !plan.closed() && Recovers.isBuiltIn(job, before);
        if (plan == null || !goesOn || Recovers.isBlocked(job, before)) {
            return;
        }
        for (Map.Entry<Item, WrittenRecord> entry : before.records(job).entrySet()) {
            Item item = entry.getKey();
            if (entry.getValue().state.equals("QUARANTINED") || !plan.owners.containsKey(item.key())) {
                continue;
            }
            Instant last = over.minus(Recovers.MARGIN).minus(plan.schedule.jitter());
            if (plan.schedule.isPause() && !entry.getValue().unfinished()) {
                boolean waits = plan.schedule.due(entry.getValue()).stream().noneMatch(last::isAfter);
                expect(waits, "a fire that counts from the last run has started by " + over, entry.getValue(), item);
            }
            if (plan.schedule.single().isPresent() && !entry.getValue().unfinished()) {
                boolean begun = plan.schedule.next(later(entry.getValue().cursor, plan.since())).stream()
                        .noneMatch(last::isAfter);
                expect(begun, "a one-time fire has started by " + last, entry.getValue(), item);
            }
            if (!plan.schedule.isRhythm()) {
                continue;
            }
            Instant first = later(
                    calm.plus(Recovers.MARGIN),
                    plan.skipTo().map(at -> at.minusNanos(1)).orElse(Instant.MIN));
            for (Instant at = next(plan, first); at.isBefore(last); at = next(plan, at)) {
                boolean ran = fires.contains(item + " at " + at);
                int begins = claimedInCalm.getOrDefault(item + " at " + at, 0);
                if (!ran || begins > 1) {
                    expected(
                            item + " starts the fire of " + at + " once, not " + begins + " times",
                            entry.getValue(),
                            item);
                }
            }
        }
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static Instant next(WrittenPlan plan, Instant after) {
        return plan.schedule.next(after).orElse(Instant.MAX);
    }
}
