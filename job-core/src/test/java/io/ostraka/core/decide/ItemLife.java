package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Simulates the life of one item, event by event. The item's owners carry out the decisions of {@link FireDecision}. A
 * life also keeps a full history of every fire, and compares each decision with the promises of the policies.
 *
 * <p>This class decides from the design and the whole history which fires are overlapped, misfired or on time. The
 * engine's decision sees only the record.
 */
final class ItemLife {
    /** Possible events. */
    enum Event {
        /** Half a period passes. */
        TICK,
        /** The item's present owner decides and carries out the decision. */
        DECIDE,
        /** The run returns. */
        END,
        /** The owner dies during the run. */
        CRASH,
        /** The owner hands its unfinished run over. */
        GIVE_UP,
        /** An operator pauses or resumes the job. */
        PAUSE,
        /** An operator disables or enables the item. */
        DISABLE,
        /** An operator turns failover on or off. */
        FAILOVER,
        /** A manual trigger arrives. */
        TRIGGER,
        /** Another schedule with the same instants comes into force. */
        RESCHEDULE
    }

    /** State of a fire. */
    enum Fate {
        OPEN,
        RUNNING,
        RAN,
        INTERRUPTED,
        CRASHED,
        SKIPPED
    }

    /** Settings that stay the same during a life. */
    record Rules(
            MisfirePolicy misfire,
            OverlapPolicy overlap,
            boolean failover,
            int maxAttempts,
            int thresholdMillis,
            int maxTriggers) {}

    static final int TICK_MILLIS = 5;
    static final int PERIOD_MILLIS = 10;
    private static final int NONE = -1;
    private static final int TOTAL = 4;
    private static final String ITEM = "2";
    private static final long FIRST_TRIGGER = 100;
    private static final Instant ZERO = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final FireTimes TIMES =
            FireSchedules.of("job", Schedule.fixedRate(Duration.ofMillis(PERIOD_MILLIS)), ZERO);

    private final Rules rules;
    private final Map<Boolean, JobConfiguration> configurations;
    /** Snapshots by the settings that they contain. All lives with the same beginning share them. */
    private final Map<List<Object>, JobSnapshot> snapshots;

    private final int fires;
    private int now;
    private ItemRecord record;
    /** Start of the schedule in force. */
    private int since;

    private boolean paused;
    private boolean disabled;
    private boolean failover;
    private Interruption interruption = Interruption.NONE;
    /**
     * Index of the running or interrupted fire. Scheduled fires have indexes from 0, triggers have indexes from {@link
     * #fires}.
     */
    private int running = NONE;

    private int busyFrom = NONE;
    private int lastEnd = NONE;
    private int attempt;
    private int crashes;
    private Fate[] fates;
    private int[] triggeredAt = {};
    private boolean[] cameInARun;
    private boolean[] overlapped;

    ItemLife(Rules rules, int fires) {
        this.rules = rules;
        this.fires = fires;
        configurations = Map.of(true, configuration(rules, true), false, configuration(rules, false));
        snapshots = new HashMap<>();
        failover = rules.failover;
        record = ItemRecord.fresh(ZERO, FIRST_TRIGGER, 1);
        fates = new Fate[fires];
        Arrays.fill(fates, Fate.OPEN);
        cameInARun = new boolean[fires];
        overlapped = new boolean[fires];
    }

    private ItemLife(ItemLife from) {
        rules = from.rules;
        configurations = from.configurations;
        snapshots = from.snapshots;
        fires = from.fires;
        now = from.now;
        record = from.record;
        since = from.since;
        paused = from.paused;
        disabled = from.disabled;
        failover = from.failover;
        interruption = from.interruption;
        running = from.running;
        busyFrom = from.busyFrom;
        lastEnd = from.lastEnd;
        attempt = from.attempt;
        crashes = from.crashes;
        fates = from.fates.clone();
        triggeredAt = from.triggeredAt;
        cameInARun = from.cameInARun.clone();
        overlapped = from.overlapped.clone();
    }

    private static JobConfiguration configuration(Rules rules, boolean failover) {
        return JobConfiguration.newBuilder("job", TOTAL)
                .misfire(rules.misfire)
                .overlap(rules.overlap)
                .failover(failover)
                .maxAttempts(rules.maxAttempts)
                .build();
    }

    int now() {
        return now;
    }

    int attempt() {
        return attempt;
    }

    /** Returns the fates of the fires so far. */
    List<Fate> fates() {
        return List.of(fates);
    }

    /** Returns the life after the event; empty if the event is not possible now. */
    Optional<ItemLife> after(Event event) {
        boolean running = record.state() == ItemState.RUNNING && interruption == Interruption.NONE;
        boolean possible =
                switch (event) {
                    case END, CRASH, GIVE_UP -> running;
                    case TRIGGER -> triggeredAt.length < rules.maxTriggers;
                    case TICK, DECIDE, PAUSE, DISABLE, FAILOVER, RESCHEDULE -> true;
                };
        if (!possible) {
            return Optional.empty();
        }
        ItemLife next = new ItemLife(this);
        next.apply(event);
        next.checkRecord(this);
        return Optional.of(next);
    }

    private void apply(Event event) {
        switch (event) {
            case TICK -> now += TICK_MILLIS;
            case DECIDE -> decide();
            case END -> {
                record = record.completed(at(now), ItemOutcome.SUCCEEDED, null);
                end(Fate.RAN);
            }
            case CRASH -> interruption = Interruption.CRASHED;
            case GIVE_UP -> {
                record = record.handedOver();
                interruption = Interruption.GIVEN_UP;
            }
            case PAUSE -> paused = !paused;
            case DISABLE -> disabled = !disabled;
            case FAILOVER -> failover = !failover;
            case RESCHEDULE -> since = now;
            case TRIGGER -> {
                triggeredAt = Arrays.copyOf(triggeredAt, triggeredAt.length + 1);
                triggeredAt[triggeredAt.length - 1] = now;
                fates = Arrays.copyOf(fates, fates.length + 1);
                fates[fates.length - 1] = Fate.OPEN;
            }
        }
    }

    // history

    private void end(Fate fate) {
        for (int fire = 0; fire < fires; fire++) {
            if (millis(fire) > busyFrom && millis(fire) <= now) {
                cameInARun[fire] = true;
                overlapped[fire] = true;
            }
        }
        settle(running, fate);
        running = NONE;
        lastEnd = now;
        interruption = Interruption.NONE;
    }

    /** Changes the fate of a fire. Fails if the fire would be decided or run a second time. */
    private void settle(int fire, Fate fate) {
        Fate before = fates[fire];
        boolean allowed =
                switch (fate) {
                    case RUNNING, SKIPPED -> before == Fate.OPEN;
                    case RAN, INTERRUPTED, CRASHED -> before == Fate.RUNNING;
                    case OPEN -> false;
                };
        if (!allowed) {
            throw new AssertionError("fire " + fire + " becomes " + fate + " after " + before);
        }
        fates[fire] = fate;
    }

    /** Result that the policies promise: the fires that are skipped now, and the fire that runs. */
    private record Promise(Map<Integer, SkipReason> skipped, int fire) {}

    private Promise promise() {
        List<Integer> undecided = IntStream.range(0, fires)
                .filter(fire -> fates[fire] == Fate.OPEN && millis(fire) <= now)
                .boxed()
                .toList();
        List<Integer> open =
                undecided.stream().filter(fire -> millis(fire) > since).toList();
        int latest = open.isEmpty() ? NONE : open.get(open.size() - 1);
        int onTime =
                latest != NONE && !overlapped[latest] && now - millis(latest) < rules.thresholdMillis ? latest : NONE;
        List<Integer> misfires = open.stream()
                .filter(fire -> !overlapped[fire] && fire != onTime)
                .toList();
        List<Integer> overlaps = open.stream().filter(fire -> overlapped[fire]).toList();
        List<Integer> runs = new ArrayList<>();
        if (onTime != NONE) {
            runs.add(onTime);
        }
        if (rules.misfire instanceof MisfirePolicy.FireAll all) {
            runs.addAll(last(misfires, all.max()));
        } else if (rules.misfire instanceof MisfirePolicy.FireOnce && onTime == NONE) {
            runs.addAll(last(misfires, 1));
        }
        if (rules.overlap instanceof OverlapPolicy.Queue queue) {
            runs.addAll(last(overlaps, queue.max()));
        } else if (rules.overlap instanceof OverlapPolicy.Coalesce && onTime == NONE) {
            runs.addAll(last(overlaps, 1));
        }
        int next = runs.stream().min(Integer::compare).orElse(NONE);
        Map<Integer, SkipReason> skipped = new TreeMap<>();
        undecided.stream()
                .filter(fire -> millis(fire) <= since)
                .forEach(fire -> skipped.put(fire, SkipReason.SCHEDULE_CHANGED));
        for (int fire : open) {
            if (next == NONE || fire < next) {
                SkipReason overlap =
                        rules.overlap instanceof OverlapPolicy.Coalesce ? SkipReason.COALESCED : SkipReason.OVERLAPPED;
                skipped.put(fire, overlapped[fire] ? overlap : SkipReason.MISFIRED);
            }
        }
        return new Promise(skipped, next);
    }

    private static List<Integer> last(List<Integer> fires, int max) {
        return fires.subList(Math.max(0, fires.size() - max), fires.size());
    }

    // decisions

    private void decide() {
        Due due = FireDecision.decide(situation(record));
        if (record.run() != null) {
            Due another = FireDecision.decide(situation(ownedBy("another")));
            if (due instanceof Due.Settle ? another.getClass() != due.getClass() : !another.equals(due)) {
                throw new AssertionError("an item owned by another gets " + another + " instead of " + due);
            }
        }
        if (running != NONE && interruption == Interruption.NONE) {
            expect(new Due.Nothing(Optional.empty()), due);
        } else if (running != NONE) {
            takeOver(due);
        } else {
            begin(due);
        }
    }

    private void takeOver(Due due) {
        Run run = record.requireRun();
        int died = crashes + (interruption == Interruption.CRASHED ? 1 : 0);
        if (!failover || disabled) {
            apply(settled(due, run.fire(), ItemState.IDLE, ItemOutcome.INTERRUPTED));
            expect(ItemOutcome.INTERRUPTED, record.outcome());
            end(Fate.INTERRUPTED);
        } else if (died >= rules.maxAttempts) {
            apply(settled(due, run.fire(), ItemState.QUARANTINED, ItemOutcome.CRASHED));
            expect(ItemOutcome.CRASHED, record.outcome());
            end(Fate.CRASHED);
        } else {
            Due.Start start = (Due.Start) due;
            expect(run.fire(), start.fire());
            expect(TOTAL, start.total());
            expect(attempt + 1, start.attempt());
            expect(died, start.crashes());
            expect(record.cursor(), start.cursor());
            expect(record.skipped(), start.skipped());
            attempt++;
            crashes = died;
            interruption = Interruption.NONE;
            claim(start);
        }
    }

    private void begin(Due due) {
        int trigger = IntStream.range(fires, fates.length)
                .filter(fire -> fates[fire] == Fate.OPEN)
                .findFirst()
                .orElse(NONE);
        boolean parked = record.state() == ItemState.QUARANTINED;
        if (trigger != NONE && (parked || disabled)) {
            apply(settled(due, fire(trigger), record.state(), ItemOutcome.SKIPPED));
            SkipReason reason = parked ? SkipReason.QUARANTINED : SkipReason.DISABLED;
            expect(List.of(new Skipped(at(millis(trigger)), at(millis(trigger)), 1, reason)), record.skipped());
            settle(trigger, Fate.SKIPPED);
            return;
        }
        Promise promise = promise();
        boolean scheduled = promise.fire != NONE && !parked && !disabled && !paused;
        boolean triggerFirst = trigger != NONE && !(scheduled && millis(promise.fire) < millis(trigger));
        if (triggerFirst) {
            promise.skipped.keySet().removeIf(fire -> millis(fire) > Math.max(millis(trigger), since));
            start((Due.Start) due, trigger, promise);
        } else if (scheduled) {
            start((Due.Start) due, promise.fire, promise);
        } else if (due instanceof Due.Nothing nothing) {
            boolean blocked = parked || disabled || paused;
            expect(blocked ? Optional.empty() : TIMES.next(at(now)), nothing.wakeAt());
            promise.skipped.values().removeIf(reason -> reason != SkipReason.MISFIRED);
            expect(blocked ? Map.of() : promise.skipped, skipped(nothing.skipping()));
        } else {
            throw new AssertionError("instead of nothing: " + due);
        }
    }

    private void start(Due.Start start, int fire, Promise promise) {
        expect(fire(fire), start.fire());
        expect(TOTAL, start.total());
        expect(1, start.attempt());
        expect(0, start.crashes());
        expect(promise.skipped, skipped(start.skipped()));
        if (fire < fires) {
            for (int later = fire + 1; later < fires; later++) {
                if (fates[later] != Fate.OPEN) {
                    throw new AssertionError("fire " + fire + " runs after fire " + later);
                }
            }
            if (cameInARun[fire] && rules.overlap instanceof OverlapPolicy.Skip) {
                throw new AssertionError("fire " + fire + " came in a run, and runs");
            }
        }
        promise.skipped.keySet().forEach(left -> settle(left, Fate.SKIPPED));
        boolean overlappedWait =
                IntStream.range(0, fires).anyMatch(open -> fates[open] == Fate.OPEN && overlapped[open]);
        for (int open = 0; open < fires; open++) {
            // the item counts as busy while an overlapped fire waits
            overlapped[open] |= overlappedWait && millis(open) > lastEnd && millis(open) <= now;
        }
        settle(fire, Fate.RUNNING);
        running = fire;
        busyFrom = now;
        attempt = 1;
        crashes = 0;
        claim(start);
    }

    private void claim(Due.Start start) {
        Run run = new Run(
                start.fire(),
                start.total(),
                start.attempt(),
                start.crashes(),
                "owner",
                "nonce",
                at(now),
                start.busySince(),
                1,
                0,
                0);
        record = record.claimed(run, start.cursor(), start.skipped());
    }

    private void apply(Due.Settle settle) {
        record = settle.to();
    }

    private static Due.Settle settled(Due due, Fire fire, ItemState state, ItemOutcome outcome) {
        Due.Settle settle = (Due.Settle) due;
        expect(fire, settle.fire());
        expect(outcome, settle.outcome());
        expect(state, settle.to().state());
        return settle;
    }

    /**
     * Checks that the fires up to the cursor, and no later fires, are decided, and that the cursor never moves back.
     * The running fire is exempt.
     */
    private void checkRecord(ItemLife before) {
        boolean holds = !record.cursor().isBefore(before.record.cursor())
                && record.triggerCursor() >= before.record.triggerCursor()
                && record.unfinished() == (running != NONE);
        for (int fire = 0; fire < fires; fire++) {
            holds &= fire == running
                    || (fates[fire] != Fate.OPEN) == !at(millis(fire)).isAfter(record.cursor());
        }
        for (int fire = fires; fire < fates.length; fire++) {
            holds &= fire == running
                    || (fates[fire] != Fate.OPEN) == (fire(fire).triggerZxid() <= record.triggerCursor());
        }
        if (!holds) {
            throw new AssertionError("record " + record + " after " + before.record + " for " + this);
        }
    }

    /**
     * Resumes the job, enables the item, and checks that every past fire is then decided within one period.
     *
     * @param ending states from which an earlier check, at the same time, has ended well; the states of this check are
     *     added
     */
    void checkThatEverythingEnds(Set<Key> ending) {
        ItemLife rest = new ItemLife(this);
        rest.paused = false;
        rest.disabled = false;
        Set<Key> states = new HashSet<>();
        for (int step = 0; !ending.contains(rest.key()); step++) {
            if (step == 100) {
                throw new AssertionError("not done after 100 steps");
            }
            states.add(rest.key());
            Optional<ItemLife> ended = rest.after(Event.END);
            ItemLife next =
                    ended.isPresent() ? ended.get() : rest.after(Event.DECIDE).orElseThrow();
            if (next.record.equals(rest.record)) {
                if (rest.now >= now + PERIOD_MILLIS) {
                    checkPastFires(rest);
                    break;
                }
                next = rest.after(Event.TICK).orElseThrow();
            }
            rest = next;
        }
        ending.addAll(states);
    }

    private void checkPastFires(ItemLife rest) {
        boolean parked = rest.record.state() == ItemState.QUARANTINED;
        for (int fire = parked ? fires : 0; fire < rest.fates.length; fire++) {
            if (fire >= fires || millis(fire) <= now) {
                assertThat(rest.fates[fire]).as("fire %s of %s", fire, rest).isNotIn(Fate.OPEN, Fate.RUNNING);
            }
        }
    }

    // as the decision sees it

    private JobSnapshot snapshot() {
        return snapshots.computeIfAbsent(
                List.of(failover, paused, disabled, since),
                settings -> new JobSnapshot(
                        configurations.get(failover),
                        JobOverride.NONE.withPaused(paused).withDisabledItems(disabled ? Set.of(ITEM) : Set.of()),
                        ShardingPlan.of(TOTAL, 1, Scope.SHARDED, Schedule.onDemand(), at(since), 1)
                                .madeFrom(1, 0, 0)
                                .scheduled(Schedule.onDemand(), at(since), ZERO, List.of())
                                .with(Map.of("owner", ShardingPlan.keys(TOTAL)), PlacementReasons.NONE),
                        7,
                        TIMES,
                        Duration.ofMillis(rules.thresholdMillis),
                        false));
    }

    private FireSituation situation(ItemRecord record) {
        List<Trigger> triggers = new ArrayList<>();
        for (int fire = fires; fire < fates.length; fire++) {
            Fire of = fire(fire);
            triggers.add(new Trigger(
                    of.id(), of.triggerZxid(), of.at(), new Trigger.Request("job", of.id(), Map.of(), Set.of())));
        }
        return new FireSituation(snapshot(), ITEM, record, interruption, triggers, Set.of(), List.of(), at(now), false);
    }

    private ItemRecord ownedBy(String owner) {
        Run run = record.requireRun();
        Run other = new Run(
                run.fire(),
                run.total(),
                run.attempt(),
                run.crashes(),
                owner,
                owner,
                run.startedAt(),
                run.busySince(),
                1,
                0,
                0,
                run.cursor(),
                run.incarnation());
        return new ItemRecord(
                record.state(),
                record.cursor(),
                record.triggerCursor(),
                record.incarnation(),
                other,
                record.endedAt(),
                record.outcome(),
                record.error(),
                record.consecutiveFailures(),
                record.currentDelay(),
                record.runTime(),
                record.skipped(),
                record.decidedBy(),
                record.setBack(),
                record.release(),
                record.opened(),
                record.previous(),
                record.skip());
    }

    private Fire fire(int fire) {
        return fire < fires
                ? Fire.scheduled(at(millis(fire)))
                : new Fire("run-" + fire, at(millis(fire)), FIRST_TRIGGER + 1 + fire - fires, Map.of());
    }

    /** Returns the instant of a fire in milliseconds. */
    private int millis(int fire) {
        return fire < fires ? (fire + 1) * PERIOD_MILLIS : triggeredAt[fire - fires];
    }

    private static Instant at(int millis) {
        return ZERO.plusMillis(millis);
    }

    private Map<Integer, SkipReason> skipped(List<Skipped> summary) {
        Map<Integer, SkipReason> fires = new TreeMap<>();
        for (Skipped part : summary) {
            int count = 0;
            for (int fire = 0; fire < this.fires; fire++) {
                Instant at = at(millis(fire));
                if (!at.isBefore(part.from()) && !at.isAfter(part.to())) {
                    count++;
                    if (fires.put(fire, part.reason()) != null) {
                        throw new AssertionError("fire " + fire + " is skipped twice: " + summary);
                    }
                }
            }
            expect((long) count, part.count());
            expect(true, TIMES.next(part.from().minusMillis(1)).orElseThrow().equals(part.from()));
            expect(true, TIMES.next(part.to().minusMillis(1)).orElseThrow().equals(part.to()));
        }
        return fires;
    }

    private static void expect(Object expected, Object actual) {
        // there are hundreds of thousands of states, so an assertion object is created only for a failure
        if (!expected.equals(actual)) {
            assertThat(actual).isEqualTo(expected);
        }
    }

    /** Returns the state that the rest of this life depends on, so that no state is explored twice. */
    Key key() {
        Run run = record.run();
        Instant endedAt = record.endedAt();
        long bits = 0;
        for (int fire = 0; fire < fires; fire++) {
            bits = bits << 1 | (overlapped[fire] ? 1 : 0);
            bits = bits << 1 | (cameInARun[fire] ? 1 : 0);
        }
        for (boolean flag : new boolean[] {paused, disabled, failover}) {
            bits = bits << 1 | (flag ? 1 : 0);
        }
        long times = now;
        times = times << 8 | busyFrom + 1;
        times = times << 8 | lastEnd + 1;
        times = times << 8 | since;
        for (int at : triggeredAt) {
            times = times << 8 | at + 1;
        }
        return new Key(
                record.state(),
                interruption,
                record.cursor().toEpochMilli(),
                record.triggerCursor(),
                run == null ? 0 : run.busySince().toEpochMilli(),
                endedAt == null ? 0 : endedAt.toEpochMilli(),
                times,
                bits,
                running,
                attempt,
                crashes);
    }

    record Key(
            ItemState state,
            Interruption interruption,
            long cursor,
            long triggerCursor,
            long busySince,
            long endedAt,
            long times,
            long bits,
            int running,
            int attempt,
            int crashes) {}

    @Override
    public String toString() {
        return "at " + now + ", schedule since " + since + ", " + Arrays.toString(fates) + ", triggers at "
                + Arrays.toString(triggeredAt)
                + ", came in a run " + Arrays.toString(cameInARun) + ", overlapped " + Arrays.toString(overlapped)
                + ", " + record;
    }
}
