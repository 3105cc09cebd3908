package io.ostraka.core.decide;

import static io.ostraka.core.decide.PlannedJob.CONFIG_CZXID;
import static io.ostraka.core.decide.PlannedJob.DEADLINE;
import static io.ostraka.core.decide.PlannedJob.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PlanningExhaustiveTest {
    private static final int INSTANCES = 6;
    private static final int ITEMS = 20;

    // members

    static List<JobShardingStrategy> strategies() {
        return List.of(new StickyBalancedStrategy(), BuiltInStrategies.all().get(ShardingStrategies.AVG_ALLOCATION));
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("strategies")
    void everySetOfDeparturesFromEveryPlanIsOneStep(JobShardingStrategy strategy) {
        boolean sticky = strategy instanceof StickyBalancedStrategy;
        for (int items = 0; items <= ITEMS; items++) {
            for (int instances = 0; instances <= INSTANCES; instances++) {
                PlannedJob before = job(items, instances, strategy);
                for (int left = 0; left < 1 << instances; left++) {
                    PlannedJob departed = before.copy();
                    PlannedJob drained = before.copy();
                    PlannedJob reborn = before.copy();
                    for (int number = 0; number < instances; number++) {
                        if ((left >> number & 1) == 1) {
                            InstanceInfo leaver = before.instances.get(number);
                            departed.instances.remove(leaver);
                            drained.instances.set(
                                    number,
                                    PlannedJob.instance(leaver.id(), InstanceInfo.State.DRAINING, List.of(), Set.of()));
                            reborn.instances.set(
                                    number,
                                    PlannedJob.instance(
                                            "later" + number,
                                            InstanceInfo.State.WORKING,
                                            List.of(leaver.id()),
                                            Set.of()));
                        }
                    }
                    settle(departed);
                    settle(drained);
                    settle(reborn);
                    boolean holds = departed.planWithoutGrounds().equals(drained.planWithoutGrounds());
                    if (sticky) {
                        holds &= movedOnlyFromLeavers(before, departed);
                        holds &= reborn.plan.items().equals(renamed(before, reborn));
                    }
                    if (!holds) {
                        throw new AssertionError("from " + before + " to " + departed + ", " + drained + ", " + reborn);
                    }
                }
            }
        }
    }

    @Test
    void everySetOfJoinsIsOneStepWithFewestMoves() {
        for (int items = 0; items <= ITEMS; items++) {
            for (int instances = 0; instances <= INSTANCES; instances++) {
                PlannedJob before = job(items, instances, new StickyBalancedStrategy());
                for (int joined = 0; joined <= INSTANCES - instances; joined++) {
                    PlannedJob after = before.copy();
                    for (int number = 0; number < joined; number++) {
                        after.join("joined" + number);
                    }
                    settle(after);
                    Map<String, String> owners = after.plan.owners();
                    long moves = before.plan.owners().entrySet().stream()
                            .filter(entry -> !entry.getValue().equals(owners.get(entry.getKey())))
                            .count();
                    long gained = owners.values().stream()
                            .filter(owner -> owner.startsWith("joined"))
                            .count();
                    assertThat(moves).isEqualTo(instances == 0 ? 0 : gained);
                }
            }
        }
    }

    private static PlannedJob job(int items, int instances, JobShardingStrategy strategy) {
        PlannedJob job = new PlannedJob(Math.max(1, items));
        job.strategy = strategy;
        IntStream.range(0, instances).forEach(number -> job.join("instance" + number));
        job.settle();
        if (items == 0) {
            job.target(0);
            job.settle();
        }
        job.checkItems();
        assertThat(job.plan.owners()).hasSize(instances == 0 ? 0 : items);
        return job;
    }

    /** Takes one step if there is one. Fails if a second step follows. */
    private static void settle(PlannedJob job) {
        if (job.settle() > 1) {
            throw new AssertionError("a second step to " + job);
        }
        job.checkItems();
    }

    private static boolean movedOnlyFromLeavers(PlannedJob before, PlannedJob after) {
        Set<String> ids = new HashSet<>();
        after.instances.forEach(instance -> ids.add(instance.id()));
        Map<String, String> owners = after.plan.owners();
        return before.plan.owners().entrySet().stream()
                .filter(entry -> ids.contains(entry.getValue()))
                .allMatch(entry -> entry.getValue().equals(owners.get(entry.getKey())));
    }

    private static Map<String, List<String>> renamed(PlannedJob before, PlannedJob after) {
        Map<String, List<String>> items = new TreeMap<>();
        for (int number = 0; number < before.instances.size(); number++) {
            List<String> held = before.plan.itemsOf(before.instances.get(number).id());
            if (!held.isEmpty()) {
                items.put(after.instances.get(number).id(), held);
            }
        }
        return items;
    }

    // half-done changes

    /**
     * Tests every ledger, and every set of records that an earlier leader may have moved already. Each later leader
     * must reach the same result, even if the target changes once more.
     */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 2", "1, 0", "1, 1", "2, 0", "2, 2", "3, 0", "3, 1"})
    void anyHalfDoneChangeContinuesAlike(int total, int retired) {
        int cases = 0;
        for (int bits = 0; bits < 1 << 2 * total; bits++) {
            for (int target = 0; target <= 4; target++) {
                for (int wishes = 0; wishes < 4; wishes++) {
                    PlannedJob job = closed(total, retired, bits, target, (wishes & 1) == 1, (wishes & 2) == 2);
                    if (job != null) {
                        halfDone(job, target);
                        cases++;
                    }
                }
            }
        }
        assertThat(cases).isPositive();
    }

    /** Returns a job without running items whose plan has just been closed; null if the target is the present count. */
    private static @Nullable PlannedJob closed(
            int total, int retired, int cursors, int target, boolean failover, boolean disabled) {
        if (total == target) {
            return null;
        }
        PlannedJob job = new PlannedJob(1);
        job.configuration = job.configuration.toBuilder().failover(failover).build();
        job.join("a", "b");
        job.settle();
        job.target(total + retired == 0 ? 0 : total + retired);
        job.settle();
        job.target(total);
        job.settle();
        job.records.keySet().removeIf(item -> Integer.parseInt(item) >= total + retired);
        for (int item = 0; item < total + retired; item++) {
            // the cursors of records that an earlier change has retired are behind all other cursors, or ahead of them
            int cursor = item < total ? 10 + 10 * (cursors >> 2 * item & 1) : 5 + 90 * (item & 1);
            int trigger = item < total ? 110 + (cursors >> 2 * item + 1 & 1) : 105 + 90 * (item & 1);
            job.records.compute(
                    Integer.toString(item),
                    (key, record) ->
                            record.rewritten(record.state(), ZERO.plusSeconds(cursor), trigger, record.incarnation()));
        }
        if (disabled) {
            job.override(job.override.withDisabledItems(Set.of("0")));
        }
        job.target(target);
        job.pass(Duration.ofMinutes(1));
        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isTrue();
        return job;
    }

    private static void halfDone(PlannedJob job, int target) {
        PlanDecision.Write whole = job.write();
        Instant cursor = cursor(job);
        long triggerCursor = triggerCursor(job);
        Set<String> every = new LinkedHashSet<>(job.records.keySet());
        every.addAll(ShardingPlan.keys(target));
        boolean holds = whole.plan() != null && whole.records().keySet().equals(every);
        for (Map.Entry<String, ItemRecord> entry : whole.records().entrySet()) {
            ItemRecord record = entry.getValue();
            holds &= record.cursor().equals(cursor(job, entry.getKey(), target, cursor))
                    && record.triggerCursor() == triggerCursor;
        }
        if (!holds) {
            throw new AssertionError(whole + " instead of " + cursor + ", " + triggerCursor + " for " + job);
        }
        List<String> items = List.copyOf(whole.records().keySet());
        for (int part = 0; part < 1 << items.size(); part++) {
            PlannedJob half = job.copy();
            Map<String, ItemRecord> rest = new TreeMap<>(whole.records());
            for (int item = 0; item < items.size(); item++) {
                if ((part >> item & 1) == 1) {
                    half.applyPart(whole, items.get(item));
                    rest.remove(items.get(item));
                }
            }
            PlanDecision.Write goingOn = half.write();
            if (!goingOn.equals(new PlanDecision.Write(whole.plan(), rest))) {
                assertThat(goingOn).as("%s", half).isEqualTo(new PlanDecision.Write(whole.plan(), rest));
            }
            otherTarget(half, (target + 1) % 4);
        }
    }

    private static void otherTarget(PlannedJob half, int target) {
        half.pass(Planning.PATIENCE);
        Instant cursor = cursor(half);
        long triggerCursor = triggerCursor(half);
        half.target(target);
        PlanDecision.Write anew = half.write();
        half.apply(anew);
        boolean holds = anew.records().isEmpty() && half.plan.change().target() == target;
        PlanDecision.Write opening = half.write();
        holds &= opening.records().keySet().containsAll(half.records.keySet());
        for (Map.Entry<String, ItemRecord> entry : opening.records().entrySet()) {
            ItemRecord record = entry.getValue();
            boolean beyond = Integer.parseInt(entry.getKey()) >= target;
            holds &= record.cursor().equals(cursor(half, entry.getKey(), target, cursor))
                    && record.triggerCursor() == triggerCursor
                    && record.state() == (beyond ? ItemState.RETIRED : ItemState.IDLE);
        }
        half.apply(opening);
        holds &= half.plan.change() == null && half.plan.total() == target;
        if (!holds) {
            throw new AssertionError(opening + " instead of " + cursor + ", " + triggerCursor + " for " + half);
        }
        half.checkItems();
    }

    /**
     * Returns the cursor that the design requires: the smallest one if failover is on, and otherwise the largest one.
     * The old records and the records that have already moved count. Records of disabled items count only if there are
     * no others.
     */
    private static Instant cursor(PlannedJob job) {
        List<Instant> cursors = new ArrayList<>();
        List<Instant> disabled = new ArrayList<>();
        counting(job).forEach(entry -> {
            boolean out = job.override.disabledItems().contains(entry.getKey());
            (out ? disabled : cursors).add(entry.getValue().cursor());
        });
        List<Instant> counted = cursors.isEmpty() ? disabled : cursors;
        counted.sort(Comparator.naturalOrder());
        if (counted.isEmpty()) { // an item may have begun a fire before its time, on a clock that was ahead
            return job.records.values().stream()
                    .map(ItemRecord::cursor)
                    .map(cursor -> cursor.isAfter(job.now.plus(PlannedJob.TOLERANCE))
                            ? job.now.plus(PlannedJob.TOLERANCE)
                            : cursor)
                    .filter(job.now::isBefore)
                    .max(Comparator.naturalOrder())
                    .orElse(job.now);
        }
        return counted.get(job.configuration.failover() ? 0 : counted.size() - 1);
    }

    /** Returns the item's next cursor. The items of a job that is being removed keep their cursors. */
    private static Instant cursor(PlannedJob job, String item, int target, Instant common) {
        return target == 0 && Integer.parseInt(item) < job.plan.total()
                ? job.records.get(item).cursor()
                : common;
    }

    private static long triggerCursor(PlannedJob job) {
        OptionalLong smallest = counting(job)
                .mapToLong(entry -> entry.getValue().triggerCursor())
                .min();
        return smallest.orElseGet(() -> job.records.values().stream()
                .mapToLong(ItemRecord::triggerCursor)
                .reduce(CONFIG_CZXID, Math::max));
    }

    private static Stream<Map.Entry<String, ItemRecord>> counting(PlannedJob job) {
        return job.records.entrySet().stream()
                .filter(entry -> Integer.parseInt(entry.getKey()) < job.plan.total()
                        || entry.getValue().incarnation() > job.plan.incarnation());
    }

    // whole lives

    static Stream<Arguments> lives() {
        return Stream.of(true, false).flatMap(failover -> Stream.of(Set.<String>of(), Set.of("0"))
                .map(disabled -> Arguments.of(failover, disabled)));
    }

    /**
     * Tests every order of claims, ends, hand-overs, changes of the target, whole and partial steps of leaders, and
     * deadlines. The number of each is limited.
     */
    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("lives")
    void itemsOfTwoCountsNeverRunTogether(boolean failover, Set<String> disabled) {
        Deque<Life> open = new ArrayDeque<>();
        Set<List<Object>> seen = new HashSet<>();
        Set<List<Object>> settling = new HashSet<>();
        PlannedJob job = new PlannedJob(1);
        job.configuration = job.configuration.toBuilder().failover(failover).build();
        job.override = JobOverride.NONE.withDisabledItems(disabled);
        job.join("a");
        job.settle();
        open.add(new Life(job, null, "begin"));
        while (!open.isEmpty()) {
            Life life = open.remove();
            life.check(each -> each.settles(settling));
            for (Life next : life.next()) {
                if (seen.add(next.key())) {
                    open.add(next);
                }
            }
        }
        assertThat(seen).hasSizeGreaterThan(1_000);
    }

    /** A job's nodes, with the event and the earlier state that led to them. */
    private static final class Life {
        private static final int MOST_CHANGES = 3;
        private static final int MOST_ITEMS = 2;
        private static final int MOST_FIRES = 2;

        private final PlannedJob job;
        private final @Nullable Life before;
        private final String event;
        private int changes;
        private int overdue;
        /** Cursor that the new items must get. It is set just before the first record moves, and null before that. */
        private @Nullable Instant drainedAt;

        Life(PlannedJob job, @Nullable Life before, String event) {
            this.job = job;
            this.before = before;
            this.event = event;
            if (before != null) {
                changes = before.changes;
                overdue = before.overdue;
                drainedAt = before.drainedAt;
            }
        }

        List<Life> next() {
            List<Life> next = new ArrayList<>();
            for (String item : job.records.keySet()) {
                ItemRecord record = job.records.get(item);
                ShardingPlan plan = job.plan;
                boolean mine = record.incarnation() == plan.incarnation();
                long fires = Duration.between(ZERO, record.cursor()).toSeconds();
                if (record.state() == ItemState.IDLE
                        && mine
                        && !plan.closed()
                        && !job.override.disabledItems().contains(item)
                        && fires < MOST_FIRES) {
                    then(next, "claim " + item, life -> life.claim(item, record));
                }
                if (record.state() == ItemState.HANDED_OVER && mine) {
                    then(
                            next,
                            "take over " + item,
                            life -> life.put(item, record.claimed(record.requireRun(), record.cursor(), List.of())));
                }
                if (record.state() == ItemState.RUNNING) {
                    then(next, "end " + item, life -> life.put(item, ended(record)));
                    then(next, "give up " + item, life -> life.put(item, record.handedOver()));
                }
            }
            for (int target = 0; target <= MOST_ITEMS; target++) {
                int count = target;
                if (changes < MOST_CHANGES && desired() != target) {
                    for (Duration later : List.of(Duration.ZERO, Planning.PATIENCE)) {
                        then(next, "target " + target + " after " + later, life -> {
                            life.job.pass(later);
                            life.job.target(count);
                            life.changes++;
                        });
                    }
                }
            }
            // the job is busy because of a trigger that has begun, or of a running node that is deleted late
            then(next, "busy or not", life -> life.job.busy = !life.job.busy);
            if (overdue < 1) {
                then(next, "deadline", life -> {
                    life.job.pass(DEADLINE.plusMillis(1));
                    life.overdue++;
                });
            }
            if (job.decision() instanceof PlanDecision.Write write) {
                then(next, "lead", life -> life.lead(write));
                write.records()
                        .keySet()
                        .forEach(item -> then(next, "move " + item, life -> {
                            life.moves();
                            life.job.applyPart(write, item);
                        }));
            }
            return next;
        }

        private void then(List<Life> next, String what, Consumer<Life> happens) {
            Life life = new Life(job.copy(), this, what);
            life.check(happens);
            next.add(life);
        }

        private int desired() {
            return job.override.removed() ? 0 : job.inForce().shardingTotalCount();
        }

        private void put(String item, ItemRecord record) {
            job.records.put(item, record);
            // items of two counts must not run at the same time
            for (ItemRecord other : job.records.values()) {
                if (other.unfinished() && other.requireRun().total() != job.plan.total()) {
                    throw new AssertionError("runs under " + job.plan + ": " + other);
                }
            }
        }

        private void claim(String item, ItemRecord record) {
            Instant at = record.cursor().plusSeconds(1);
            put(
                    item,
                    record.claimed(
                            new Run(Fire.scheduled(at), job.plan.total(), 1, 0, "a", "nonce", at, at, 1, 0, 0),
                            record.cursor(),
                            List.of()));
        }

        private static ItemRecord ended(ItemRecord record) {
            return record.completed(record.requireRun().fire().at(), ItemOutcome.SUCCEEDED, null);
        }

        private void lead(PlanDecision.Write write) {
            ShardingPlan from = job.plan;
            if (!write.records().isEmpty()) {
                moves();
            }
            job.apply(write);
            if (from.closed() && !job.plan.closed()) {
                opened(from);
            }
        }

        private void moves() {
            if (drainedAt == null) {
                drainedAt = cursor(job);
            }
        }

        /** Checks that all items of a new count start with the required cursor. */
        private void opened(ShardingPlan from) {
            boolean reopened = job.plan.incarnation() == from.incarnation();
            for (String item : ShardingPlan.keys(job.plan.total())) {
                Instant cursor = job.records.get(item).cursor();
                if (!reopened && !cursor.equals(drainedAt)) {
                    throw new AssertionError("item " + item + " goes on at " + cursor + " instead of " + drainedAt);
                }
            }
            drainedAt = null;
        }

        /**
         * Checks that all changes end if nothing else happens.
         *
         * @param settling states from which an earlier check has ended well; the states of this check are added
         */
        void settles(Set<List<Object>> settling) {
            Life rest = new Life(job.copy(), this, "settle");
            rest.job.busy = false;
            List<List<Object>> states = new ArrayList<>();
            for (int step = 0; step < 20; step++) {
                rest.job.records.replaceAll((item, record) -> record.unfinished() ? ended(record) : record);
                List<Object> state = rest.state();
                if (settling.contains(state)) {
                    settling.addAll(states);
                    return;
                }
                states.add(state);
                if (!(rest.job.decision() instanceof PlanDecision.Write write)) {
                    if (rest.job.plan.retryChangeAt() == null || rest.desired() == rest.job.plan.total()) {
                        break;
                    }
                    rest.job.pass(DEADLINE);
                    continue;
                }
                rest.lead(write);
            }
            boolean holds = !rest.job.plan.closed()
                    && rest.job.plan.total() == rest.desired()
                    && rest.job.decision() instanceof PlanDecision.Keep;
            if (!holds) {
                throw new AssertionError("rests at " + rest.job);
            }
            settling.addAll(states);
        }

        void check(Consumer<Life> check) {
            try {
                check.accept(this);
            } catch (AssertionError | RuntimeException e) {
                Deque<String> events = new ArrayDeque<>();
                for (Life life = this; life != null; life = life.before) {
                    events.addFirst(life.event);
                }
                throw new AssertionError("after " + events + ": " + e.getMessage() + "\n" + job, e);
            }
        }

        /** Returns the state that the rest of this life depends on. */
        List<Object> key() {
            List<Object> key = state();
            key.add(changes);
            key.add(overdue);
            return key;
        }

        /** Returns the state that leaders depend on if nothing else happens. */
        private List<Object> state() {
            List<Object> key = new ArrayList<>(List.of(desired(), job.now, job.busy));
            if (drainedAt != null) {
                key.add(drainedAt);
            }
            key.add(job.plan.total());
            key.add(job.plan.incarnation());
            key.add(job.plan.overrideMzxid() == job.overrideMzxid);
            key.add(String.valueOf(job.plan.change()));
            key.add(String.valueOf(job.plan.retryChangeAt()));
            job.records.forEach((item, record) -> key.addAll(
                    List.of(item, record.state(), record.cursor(), record.incarnation(), record.unfinished())));
            return key;
        }
    }
}
