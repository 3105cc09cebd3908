package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.decide.Planning.Ledger;
import io.ostraka.core.decide.Planning.Observation;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a job, and the leaders that read and write them. Each step is taken by a new leader, which knows only
 * the nodes and may read them in any order. After every write, the invariants are checked.
 */
final class PlannedJob {
    static final String JOB = "job";
    static final Instant ZERO = Instant.parse("2024-02-29T12:00:00Z");
    static final Duration DEADLINE = Duration.ofMinutes(10);
    static final Duration TOLERANCE = Duration.ofSeconds(10);
    static final long CONFIG_CZXID = 100;

    JobConfiguration configuration;
    JobOverride override = JobOverride.NONE;
    long configMzxid = CONFIG_CZXID;
    long overrideMzxid;
    ShardingPlan plan;
    long planMzxid;
    final Map<String, ItemRecord> records = new TreeMap<>(ItemKeys.ORDER);
    final List<InstanceInfo> instances = new ArrayList<>();
    boolean busy;
    Set<String> abandoned = Set.of();
    JobShardingStrategy strategy = new StickyBalancedStrategy();
    Instant now = ZERO;
    private long zxid = 1_000;
    private @Nullable InForce inForce;

    /** The settings in force, kept because thousands of decisions read the same ones. */
    private record InForce(JobConfiguration configuration, JobOverride override, JobConfiguration applied) {}

    PlannedJob(int items) {
        this(JobConfiguration.newBuilder(JOB, items).build());
    }

    private PlannedJob(JobConfiguration configuration) {
        this.configuration = configuration;
    }

    PlannedJob copy() {
        PlannedJob copy = new PlannedJob(configuration);
        copy.inForce = inForce;
        copy.override = override;
        copy.configMzxid = configMzxid;
        copy.overrideMzxid = overrideMzxid;
        copy.plan = plan;
        copy.planMzxid = planMzxid;
        copy.records.putAll(records);
        copy.instances.addAll(instances);
        copy.busy = busy;
        copy.strategy = strategy;
        copy.now = now;
        copy.zxid = zxid;
        return copy;
    }

    // operators and instances

    void configure(JobConfiguration next) {
        configuration = next;
        configMzxid = ++zxid;
    }

    void override(JobOverride next) {
        override = next;
        overrideMzxid = ++zxid;
    }

    /** Changes the item count; 0 removes the job. */
    void target(int count) {
        override(
                count == 0
                        ? override.withRemoved(true)
                        : override.withRemoved(false).withShardingTotalCount(count));
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    static InstanceInfo instance(String id, State state, List<String> earlierIds, Set<String> stillRunning) {
        return new InstanceInfo(
                new JobInstance(id, "host", "", Map.of(), 1),
                1,
                state,
                false,
                Set.of(JOB),
                earlierIds,
                stillRunning.isEmpty() ? Map.of() : Map.of(JOB, stillRunning));
    }

    static InstanceInfo working(String id) {
        return instance(id, State.WORKING, List.of(), Set.of());
    }

    void join(String... ids) {
        for (String id : ids) {
            instances.add(working(id));
        }
    }

    void leave(String id) {
        instances.removeIf(instance -> instance.id().equals(id));
    }

    // leaders

    /** Returns the leader's decision. Fails if the decision depends on the order in which the nodes were read. */
    PlanDecision decision() {
        PlanDecision decision = Planning.decide(observation(instances, ledger(new LinkedHashMap<>(records))));
        List<InstanceInfo> otherOrder = new ArrayList<>(instances);
        Collections.reverse(otherOrder);
        Map<String, ItemRecord> otherLedger = new TreeMap<>(ItemKeys.ORDER.reversed());
        otherLedger.putAll(records);
        PlanDecision another = Planning.decide(observation(otherOrder, ledger(otherLedger)));
        if (!decision.equals(another)) {
            assertThat(another).isEqualTo(decision);
        }
        return decision;
    }

    /** Returns the decision of a leader that has not read the items. */
    PlanDecision decisionUnread() {
        return Planning.decide(observation(instances, null));
    }

    private Ledger ledger(Map<String, ItemRecord> read) {
        return plan != null && plan.closed() ? new Ledger(read, busy, abandoned) : null;
    }

    /** Returns the configuration with the override applied. */
    JobConfiguration inForce() {
        InForce known = inForce;
        if (known == null || known.configuration != configuration || known.override != override) {
            known = new InForce(configuration, override, override.applyTo(configuration));
            inForce = known;
        }
        return known.applied;
    }

    private Observation observation(List<InstanceInfo> instances, Ledger ledger) {
        return new Observation(
                new Planning.Wanted(inForce(), override, CONFIG_CZXID, configMzxid, overrideMzxid),
                new Planning.Present(plan, planMzxid, ledger, Set.of(), null),
                new Placement.Candidates(instances, strategy, PlacementContext.NONE),
                times(),
                now,
                new Planning.Limits(DEADLINE, Planning.BATCH, TOLERANCE));
    }

    /** Returns the plan without the reasons for the placement. */
    ShardingPlan planWithoutGrounds() {
        return plan.with(plan.items(), PlacementReasons.NONE);
    }

    FireTimes times() {
        return FireSchedules.inForce(JOB, inForce().schedule(), plan);
    }

    PlanDecision.Write write() {
        return (PlanDecision.Write) decision();
    }

    /** Takes one step. Returns false if there was nothing to write. */
    boolean step() {
        if (decision() instanceof PlanDecision.Write write) {
            apply(write);
            return true;
        }
        return false;
    }

    /** Takes steps until there is nothing to write. Returns the number of steps. */
    int settle() {
        for (int steps = 0; ; steps++) {
            if (steps == 1_000) {
                throw new AssertionError("not settled after 1,000 steps: " + this);
            }
            if (!step()) {
                return steps;
            }
        }
    }

    void apply(PlanDecision.Write write) {
        if ((write.plan() != null && write.records().size() > Planning.BATCH)
                || (write.plan() == null && write.records().isEmpty())) {
            throw new AssertionError("a write of " + write.records().size() + " records: " + write);
        }
        write.records().forEach(this::checkRewrite);
        ShardingPlan before = plan;
        zxid++;
        records.putAll(write.records());
        if (write.plan() != null) {
            if (write.plan().equals(before)) {
                throw new AssertionError("writes what is there: " + before);
            }
            plan = write.plan();
            checkPlan(before);
            planMzxid = zxid;
        }
    }

    /** Writes the first batch of a decision, like a leader that loses its leadership afterwards. */
    void applyBatch(PlanDecision.Write write) {
        Map<String, ItemRecord> batch = new LinkedHashMap<>();
        write.records().entrySet().stream()
                .limit(Planning.BATCH)
                .forEach(entry -> batch.put(entry.getKey(), entry.getValue()));
        apply(new PlanDecision.Write(null, batch));
    }

    /** Writes one record of a decision, like a leader with smaller batches. */
    void applyPart(PlanDecision.Write write, String item) {
        apply(new PlanDecision.Write(null, Map.of(item, write.records().get(item))));
    }

    // invariants

    private void checkRewrite(String item, ItemRecord to) {
        ItemRecord from = records.get(item);
        boolean holds = !to.unfinished() && (plan == null || (plan.closed() && !busy));
        holds &= records.values().stream().noneMatch(ItemRecord::unfinished);
        if (from != null) {
            // state, cursors, incarnation and skipped fires may change, but not the history
            ItemRecord kept = from.rewritten(to.state(), to.cursor(), to.triggerCursor(), to.incarnation());
            boolean skips = !to.skipped().equals(from.skipped());
            holds &= to.incarnation() > from.incarnation()
                    && to.equals(
                            skips ? kept.skippedFrom(to.skipped(), from.cursor()) : kept.advancedFrom(from.cursor()));
        } else {
            holds &= to.equals(ItemRecord.fresh(to.cursor(), to.triggerCursor(), to.incarnation()));
        }
        holds &= plan == null
                ? to.incarnation() == 1
                : to.incarnation() == plan.change().incarnation();
        if (!holds) {
            throw new AssertionError("item " + item + " from " + from + " to " + to + " under " + plan);
        }
    }

    private void checkPlan(ShardingPlan before) {
        long newest = records.values().stream()
                .mapToLong(ItemRecord::incarnation)
                .max()
                .orElse(0);
        ShardingPlan.Change change = plan.change();
        boolean holds = plan.configMzxid() == configMzxid && plan.overrideMzxid() == overrideMzxid;
        if (before != null) {
            boolean opens = before.closed() && change == null && plan.incarnation() != before.incarnation();
            boolean reopens = before.closed() && change == null && plan.incarnation() == before.incarnation();
            boolean sameSchedule = plan.schedule().equals(before.schedule());
            holds &= plan.fenceEpoch() == Math.max(before.fenceEpoch(), configuration.fenceEpoch())
                    && plan.since().equals(sameSchedule ? before.since() : now)
                    && plan.anchor().equals(sameSchedule ? before.anchor() : now)
                    && (!sameSchedule || plan.former().equals(before.former()))
                    && plan.generation() == (opens ? planMzxid : before.generation());
            // once a record has moved to a new incarnation, no claim under the old item count must be possible
            holds &= !reopens || newest <= before.incarnation();
            holds &= opens
                    ? plan.total() == before.change().target()
                            && plan.incarnation() == before.change().incarnation()
                            && plan.retryChangeAt() == null
                    : plan.total() == before.total() && plan.incarnation() == before.incarnation();
            // a new target gets an incarnation that is greater than every existing one
            holds &= change == null
                    || change.equals(before.change())
                    || (change.incarnation() > newest
                            && change.incarnation() > before.incarnation()
                            && (before.change() == null
                                    || change.incarnation() > before.change().incarnation())
                            && change.closedAt().equals(now));
        }
        if (change == null) {
            holds &= newest <= plan.incarnation();
            for (String item : ShardingPlan.keys(plan.total())) {
                ItemRecord record = records.get(item);
                holds &= record != null
                        && record.incarnation() == plan.incarnation()
                        && record.state() != ItemState.RETIRED;
            }
            for (Map.Entry<String, ItemRecord> entry : records.entrySet()) {
                holds &= Integer.parseInt(entry.getKey()) < plan.total()
                        || entry.getValue().state() == ItemState.RETIRED;
            }
        }
        if (!holds) {
            throw new AssertionError("plan from " + before + " to " + plan + " with " + records);
        }
        checkItems();
    }

    /**
     * Checks invariant I5: each item is on exactly one instance that accepts it, or the plan says why it has no owner.
     */
    void checkItems() {
        Map<String, String> owners = plan.owners();
        List<String> takers = instances.stream()
                .filter(instance ->
                        instance.state() == State.WORKING && instance.jobs().contains(JOB))
                .map(InstanceInfo::id)
                .toList();
        List<String> told = new ArrayList<>(owners.keySet());
        plan.grounds().unplaced().values().forEach(told::addAll);
        boolean constrained = configuration.maxItemsPerInstance() > 0;
        boolean holds = takers.containsAll(owners.values())
                && (constrained || told.size() == owners.size())
                && told.size() == Set.copyOf(told).size()
                && Set.copyOf(told).equals(takers.isEmpty() ? Set.of() : Set.copyOf(ShardingPlan.keys(plan.total())));
        for (InstanceInfo instance : instances) {
            for (String item : plan.itemsOf(instance.id())) {
                holds &= instance.takes(JOB, item) || instances.stream().noneMatch(other -> other.takes(JOB, item));
            }
        }
        if (!holds) {
            throw new AssertionError("items of " + plan + " on " + instances);
        }
    }

    @Override
    public String toString() {
        return plan + " " + records;
    }
}
