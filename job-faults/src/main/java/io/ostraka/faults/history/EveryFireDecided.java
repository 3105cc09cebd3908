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
 * I4: every due fire of every enabled item is run or left out for a reason that is told; no history comes due, nothing
 * starts that an operator has stopped, and no record, which is the ledger of all that, is ever deleted, but that of an
 * instance that is gone, with its own item.
 */
final class EveryFireDecided extends Invariant {
    /** How far a clock may be ahead of the server's for scheduled fires to start, and how long a claim is under way. */
    private static final Duration EARLIEST = Duration.ofSeconds(10);

    private final Set<String> fires = new HashSet<>();
    private final Map<String, Integer> claimedInCalm = new HashMap<>();
    /** The items for which what fires once has ended, by job, fire and incarnation; and the fires that have for all. */
    private final Map<String, Set<Item>> endedOnce = new HashMap<>();

    private final Set<String> overOnce = new HashSet<>();
    /** Every schedule that each job has had, by since when: an item accounts for the former ones as well. */
    private final Map<String, NavigableMap<Instant, WrittenPlan>> schedules = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], write);
            }
            boolean record = parts.length == 5 && parts[1].equals("jobs") && parts[3].equals("sharding");
            if (record && write instanceof Write.Deleted) {
                Item item = new Item(parts[2], parts[4]);
                WrittenPlan plan = before.plan(item.job());
                boolean removed = plan == null || (plan.total == 0 && !plan.closed());
                boolean gone = plan != null
                        && plan.scope.equals(WrittenPlan.BROADCAST)
                        && !before.exists("/instances/" + item.key());
                expect(removed || gone, "a record stays while there is its job", write, item);
                WrittenRecord last = before.record(item);
                boolean ended = last == null || !last.unfinished();
                expect(removed || ended, "what its instance left running is ended before its record goes", last, item);
            } else if (record && write instanceof Write.Created created) {
                Item item = new Item(parts[2], parts[4]);
                WrittenRecord born = new WrittenRecord(State.json(created.data()));
                boolean knows = !born.cursor.isAfter(transaction.at().plus(EARLIEST));
                expect(knows, "what was never due is not passed over", born, item);
            }
        }
    }

    private void planned(String job, Write write) {
        String data = write instanceof Write.Created created
                ? created.data()
                : write instanceof Write.Changed changed ? changed.data() : "";
        if (!data.isEmpty()) {
            WrittenPlan plan = new WrittenPlan(State.json(data));
            NavigableMap<Instant, WrittenPlan> all = schedules.computeIfAbsent(job, key -> new TreeMap<>());
            all.tailMap(plan.since(), true).clear(); // a plan that was lost counts from earlier again
            all.put(plan.since(), plan);
        }
    }

    /**
     * How many fires an item has had in a span of time, by each schedule while it was in force; empty if one isn't
     * understood here.
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
        boolean back = move.next().cursor.isBefore(move.before().cursor) && !move.rewrites();
        expect(!back, "the cursor never goes back", move, move.item());
        boolean triggersBack = move.next().triggerCursor() < move.before().triggerCursor() && !move.rewrites();
        expect(!triggersBack, "the trigger cursor never goes back", move, move.item());
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
        String fire = once(move);
        Set<Item> ended = endedOnce.computeIfAbsent(fire + "/" + move.next().incarnation, key -> new HashSet<>());
        ended.add(move.item());
        if (ended.stream().map(Item::key).collect(Collectors.toSet()).containsAll(plan.keys())) {
            overOnce.add(fire);
        }
    }

    private static String once(Move move) {
        return move.item().job() + " at " + move.next().fireTime();
    }

    private void begin(Move move, State before) {
        Item item = move.item();
        WrittenPlan plan = before.plan(item.job());
        if (plan == null) {
            return; // nobody may claim then; another invariant says so
        }
        expect(
                !before.wanted(item.job(), plan, "disabledItems", '"' + item.key() + '"'),
                "nothing disabled begins",
                move,
                item);
        boolean triggered = move.next().triggered();
        Instant upTo = triggered ? move.next().cursor : move.next().fireTime();
        boolean all = fires(item.job(), move.before(), move.before().cursor, upTo).stream()
                .allMatch(due -> due == move.next().numberLeftOut() + (triggered ? 0 : 1));
        expect(all, "every fire after " + move.before().cursor + " is run or left out", move, item);
        if (triggered) {
            return;
        }
        expect(!plan.closed(), "no scheduled fire begins under a closed plan", move, item);
        expect(!before.wanted(item.job(), plan, "paused", "true"), "no scheduled fire begins while paused", move, item);
        if (plan.schedule.single().isPresent()) {
            expect(!overOnce.contains(once(move)), "what fires once has not, for all items", move, item);
        } else if (!plan.schedule.isRhythm() && !plan.schedule.isPause()) {
            return;
        }
        Instant fire = move.next().fireTime();
        boolean due = !fire.isAfter(move.by().at().plus(EARLIEST).plusSeconds(1));
        expect(
                due,
                "no fire runs before its time, by the server's clock "
                        + move.by().at(),
                move,
                item);
        if (before.calm() != null) {
            claimedInCalm.merge(item + " at " + fire, 1, Integer::sum);
        }
        fires.add(item + " at " + fire);
    }

    /**
     * A change of the item count loses no fire that any item has yet to decide; with failover off it begins none again
     * that any item has decided. What operators want reaches the change through what its leader has read: an item counts
     * if it was enabled all the while since the override that the closed plan was made from.
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
        expect(!still, "nothing moves to another count before it has ended", move, item);
        expect(!before.exists(item.running()), "nothing moves to another count while it is held", move, item);
        if (removed) {
            return; // what its fires were is history
        }
        if (!plan.numbered()) {
            goOnAlone(move);
            return;
        }
        boolean failover = definition.get("failover").getAsBoolean();
        before.records(item.job()).forEach((other, record) -> {
            boolean counts = !List.of("RETIRED", "QUARANTINED").contains(record.state)
                    && record.incarnation == move.before().incarnation
                    && !before.everWanted(item.job(), plan, "disabledItems", '"' + other.key() + '"');
            boolean kept = failover
                    ? !move.next().cursor.isAfter(record.cursor)
                    : !move.next().cursor.isBefore(record.cursor);
            if (counts && !kept) {
                expected("the cursor of " + other + " counts, " + record, move, item);
            }
        });
    }

    /** What no other item does for it stands where it stood, unless it comes back or goes: then what it passes is told. */
    private void goOnAlone(Move move) {
        WrittenRecord last = move.before();
        boolean stays = !last.state.equals("RETIRED") && !move.next().state.equals("RETIRED");
        boolean own = stays
                ? move.next().cursor.equals(last.cursor)
                : !move.next().cursor.isBefore(last.cursor)
                        && !move.next().cursor.isAfter(move.by().at().plus(EARLIEST));
        expect(own, "an item without a number goes on where it stands", move, move.item());
    }

    @Override
    void event(Event event, State before) {
        Instant calm = before.calm();
        if (event instanceof Event.Over && calm != null) {
            before.jobs().forEach(job -> onSchedule(job, calm, event.at(), before));
        }
    }

    /** What came due in the calm has begun, once. */
    private void onSchedule(String job, Instant calm, Instant over, State before) {
        WrittenPlan plan = before.plan(job);
        boolean goesOn = plan != null && !plan.closed() && Recovers.isLibrarys(job, before);
        if (plan == null || !goesOn || Recovers.holdsUp(job, before)) {
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
                expect(waits, "what counts from the last run has begun by " + over, entry.getValue(), item);
            }
            if (plan.schedule.single().isPresent() && !entry.getValue().unfinished()) {
                boolean begun = plan.schedule.next(later(entry.getValue().cursor, plan.since())).stream()
                        .noneMatch(last::isAfter);
                expect(begun, "what fires once has by " + last, entry.getValue(), item);
            }
            if (!plan.schedule.isRhythm()) {
                continue;
            }
            Instant first = calm.plus(Recovers.MARGIN);
            for (Instant at = next(plan, first); at.isBefore(last); at = next(plan, at)) {
                boolean ran = fires.contains(item + " at " + at);
                int begins = claimedInCalm.getOrDefault(item + " at " + at, 0);
                if (!ran || begins > 1) {
                    expected(item + " runs at " + at + ", not " + begins + " times", entry.getValue(), item);
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
