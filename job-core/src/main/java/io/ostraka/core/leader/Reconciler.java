package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemView;
import io.ostraka.core.coordination.JobView;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.Verdict;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Lane;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leading instance does for all jobs: it compares each job's plan with what is, and writes what is missing.
 *
 * <p>Level-triggered: an event only says where to look again, and a look now and then makes up for events that were
 * missed. Nothing is remembered between two looks but what was read, so a new leader goes on from any half-done step.
 * One job that can't be planned holds up no other. Confined to a lane of its own.
 */
public final class Reconciler {
    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
    /** How often a job that waits for something to end is looked at. */
    private static final Duration WAITING = Duration.ofMillis(500);
    /** How long the progress of a fire that has ended is kept for those who ask. */
    private static final Duration FIRES_KEPT = Duration.ofHours(1);

    private final Coordination coordination;
    private final Platform platform;
    private final Map<String, JobShardingStrategy> strategies;
    private final Duration drainDeadline;
    private final Lane lane;
    private final Map<String, Watched> jobs = new TreeMap<>();

    private @Nullable String candidate;
    private @Nullable Leadership leadership;
    private @Nullable List<InstanceInfo> instances;
    private int attempts;
    private boolean readingInstances;
    private boolean instancesStale;
    private volatile boolean leading;

    /** A job as the leader knows it. */
    private static final class Watched {
        final String name;

        @Nullable JobView view;
        /** Whether a look at it is under way, up to the reply to its write. */
        boolean busy;
        /** Whether it must be read again. */
        boolean stale = true;
        /** Whether something has happened since the look began. */
        boolean again;
        /** What was last reported about it; null when all was well. */
        @Nullable String reported;

        Watched(String name) {
            this.name = name;
        }
    }

    /**
     * Makes the reconciler of an instance; it does nothing until the instance leads.
     *
     * @param strategies by type
     */
    public Reconciler(
            Coordination coordination,
            Platform platform,
            Map<String, JobShardingStrategy> strategies,
            Duration drainDeadline) {
        this.coordination = coordination;
        this.platform = platform;
        this.strategies = Map.copyOf(strategies);
        this.drainDeadline = drainDeadline;
        this.lane = new Lane(platform.lanes());
    }

    /** Leadership was won or lost. */
    public void leadership(Optional<String> won) {
        lane.execute(() -> {
            candidate = won.orElse(null);
            stepDown();
            takeEpoch();
        });
    }

    /** A connection is there again: everything may have changed. */
    public void connected() {
        lane.execute(() -> {
            stepDown();
            takeEpoch();
        });
    }

    /** Instances have come, gone or changed. */
    public void instancesChanged() {
        lane.execute(this::readInstances);
    }

    /** A job's definition or override has changed. */
    public void configurationChanged(String job) {
        lane.execute(() -> {
            if (leadership != null) {
                look(watched(job), true);
            }
        });
    }

    /** A running node that a closed plan waits for is gone. */
    public void runningGone(String job) {
        lane.execute(() -> {
            Watched known = jobs.get(job);
            if (leadership != null && known != null) {
                look(known, false);
            }
        });
    }

    /** Looks at everything: from what is known, or reading everything again. */
    public void look(boolean everything) {
        lane.execute(() -> {
            if (leadership == null) {
                takeEpoch();
            } else if (everything) {
                readInstances();
                jobs.values().forEach(job -> {
                    look(job, true);
                    audit(job);
                });
            } else {
                jobs.values().forEach(job -> look(job, job.view == null || job.reported != null));
            }
        });
    }

    /** Tells whether this instance leads, as far as it knows. Any thread. */
    public boolean leading() {
        return leading;
    }

    private void stepDown() {
        leadership = null;
        leading = false;
        instances = null;
        jobs.values().forEach(job -> coordination.jobs().followConfiguration(job.name, false));
        jobs.clear();
    }

    private void takeEpoch() {
        String mine = candidate;
        if (mine == null) {
            return;
        }
        int attempt = ++attempts;
        coordination
                .membership()
                .lead(mine)
                .whenComplete((taken, error) -> lane.execute(() -> {
                    if (attempt != attempts) {
                        return; // a later attempt has taken, or will take, a later epoch
                    }
                    if (error != null) {
                        log.debug("leadership not taken: {}", error.toString());
                    } else if (mine.equals(candidate)) {
                        leadership = taken;
                        leading = true;
                        readInstances();
                    }
                }));
    }

    private void readInstances() {
        if (leadership == null || readingInstances) {
            instancesStale = true;
            return;
        }
        readingInstances = true;
        instancesStale = false;
        coordination
                .membership()
                .instances()
                .thenCombine(coordination.jobs().names(), InstancesAndJobs::new)
                .whenComplete((read, error) -> lane.execute(() -> {
                    readingInstances = false;
                    if (leadership == null) {
                        return;
                    }
                    if (error == null) {
                        instances = read.instances;
                        Set<String> all = new HashSet<>(read.jobs);
                        read.instances.forEach(instance -> all.addAll(instance.jobs()));
                        all.forEach(job -> look(watched(job), false));
                    }
                    if (instancesStale) {
                        readInstances();
                    }
                }));
    }

    private record InstancesAndJobs(List<InstanceInfo> instances, List<String> jobs) {}

    private Watched watched(String job) {
        return jobs.computeIfAbsent(job, name -> {
            coordination.jobs().followConfiguration(name, true);
            return new Watched(name);
        });
    }

    // ---- one job

    private void look(Watched job, boolean stale) {
        job.stale |= stale;
        if (job.busy) {
            job.again = true;
            return;
        }
        if (leadership == null || instances == null) {
            return;
        }
        job.again = false;
        job.busy = true;
        if (!job.stale && job.view != null) {
            observe(job, job.view);
            return;
        }
        job.stale = false;
        await(job, coordination.jobs().job(job.name), view -> {
            job.view = view;
            observe(job, view);
        });
    }

    /** Goes on with a reply, as long as this instance still leads; a job whose reply fails is looked at later. */
    private <T> void await(Watched job, CompletionStage<T> stage, Consumer<T> then) {
        Leadership asked = leadership;
        stage.whenComplete((reply, error) -> lane.execute(() -> {
            if (leadership != asked || jobs.get(job.name) != job) {
                return;
            }
            if (error == null) {
                then.accept(reply);
            } else {
                log.debug("job '{}': {}", job.name, error.toString());
                job.stale = true;
                done(job, true);
            }
        }));
    }

    private void done(Watched job, boolean lookLater) {
        job.busy = false;
        if (job.again) {
            look(job, false);
        } else if (lookLater) {
            platform.timer()
                    .after(
                            WAITING,
                            () -> lane.execute(() -> {
                                if (jobs.get(job.name) == job) {
                                    look(job, false);
                                }
                            }));
        }
    }

    private void report(Watched job, @Nullable String problem) {
        if (problem != null && !problem.equals(job.reported)) {
            log.error("job '{}': {}", job.name, problem);
        } else if (problem == null && job.reported != null) {
            log.info("job '{}': planned again", job.name);
        }
        job.reported = problem;
    }

    /** Reads what the decision needs besides: every item of a closed plan, or those whose owner is gone. */
    private void observe(Watched job, JobView view) {
        Versioned<ShardingPlan> plan = view.plan();
        if (view.problem() != null || view.definition() == null) {
            report(job, view.problem() == null ? null : view.problem() + "; correct or delete the node");
            done(job, false);
            return;
        }
        if (plan == null) {
            decide(job, view, null, Map.of());
        } else if (plan.value().closed()) {
            await(
                    job,
                    coordination.items().keys(job.name),
                    keys -> await(
                            job,
                            coordination.items().read(job.name, keys, true),
                            items -> await(job, begunFires(job.name), busy -> decideClosed(job, view, items, busy))));
        } else {
            Set<String> living = new HashSet<>();
            instances().forEach(instance -> living.add(instance.id()));
            Map<String, String> owners = plan.value().owners();
            List<String> unheld = ShardingPlan.keys(plan.value().total()).stream()
                    .filter(item -> !living.contains(owners.getOrDefault(item, "")))
                    .toList();
            boolean placeable = instances().stream()
                    .anyMatch(instance -> instance.state() == InstanceInfo.State.WORKING
                            && instance.jobs().contains(job.name));
            if (unheld.isEmpty() || !placeable) {
                decide(job, view, null, Map.of());
            } else {
                await(
                        job,
                        coordination.items().read(job.name, unheld, false),
                        items -> decide(job, view, null, byItem(items)));
            }
        }
    }

    private void decideClosed(Watched job, JobView view, List<ItemView> items, boolean busyFires) {
        Map<String, ItemRecord> records = new HashMap<>();
        boolean running = false;
        for (ItemView item : items) {
            if (item.problem() != null) {
                report(job, item.problem() + "; the change of the item count waits, correct the node");
                done(job, true);
                return;
            }
            running |= item.running() != 0;
            if (item.record() != null) {
                records.put(item.item(), item.record().value());
            }
        }
        decide(job, view, new Planning.Ledger(records, running || busyFires), byItem(items));
    }

    private static Map<String, ItemView> byItem(List<ItemView> items) {
        Map<String, ItemView> all = new HashMap<>();
        items.forEach(item -> all.put(item.item(), item));
        return all;
    }

    /** Whether a trigger whose fire has begun has items left. */
    private CompletionStage<Boolean> begunFires(String job) {
        return coordination.fires().triggers().thenCompose(triggers -> {
            CompletionStage<Boolean> any = java.util.concurrent.CompletableFuture.completedStage(false);
            for (Trigger trigger : triggers) {
                if (trigger.request().job().equals(job)) {
                    any = any.thenCombine(
                            coordination.fires().progress(job, trigger.fire().id()),
                            (before, fire) -> before
                                    || fire.map(progress -> !progress.value().done())
                                            .orElse(false));
                }
            }
            return any;
        });
    }

    private void decide(Watched job, JobView view, Planning.@Nullable Ledger ledger, Map<String, ItemView> items) {
        Versioned<JobConfiguration> definition = Objects.requireNonNull(view.definition(), "definition");
        Versioned<ShardingPlan> plan = view.plan();
        PlanDecision decision;
        try {
            JobConfiguration effective = view.overrideOrNone().applyTo(definition.value());
            decision = Planning.decide(new Planning.Observation(
                    effective,
                    view.overrideOrNone(),
                    definition.czxid(),
                    definition.mzxid(),
                    view.override() == null ? 0 : view.override().mzxid(),
                    plan == null ? null : plan.value(),
                    plan == null ? 0 : plan.mzxid(),
                    instances(),
                    ledger,
                    strategy(job, effective, plan == null),
                    coordination.membership().serverTime(),
                    drainDeadline));
        } catch (OstrakaException e) {
            decision = new PlanDecision.Refuse(e.getMessage() == null ? e.toString() : e.getMessage());
        }
        if (decision instanceof PlanDecision.Write write) {
            report(job, null);
            write(job, view, write, items);
            return;
        }
        if (decision instanceof PlanDecision.Refuse refuse) {
            report(job, refuse.reason() + "; the plan in force stays");
        } else {
            report(job, null);
        }
        if (plan != null && plan.value().removed()) {
            settleTriggers(job.name);
        }
        done(job, ledger != null);
    }

    private JobShardingStrategy strategy(Watched job, JobConfiguration configuration, boolean first) {
        JobShardingStrategy strategy = strategies.get(configuration.shardingStrategy());
        if (strategy != null) {
            return strategy;
        }
        if (first) {
            log.warn(
                    "job '{}': this leader has no strategy '{}'; the default serves until one that has it leads",
                    job.name,
                    configuration.shardingStrategy());
            return Objects.requireNonNull(strategies.get(JobConfiguration.DEFAULT_STRATEGY), "default strategy");
        }
        throw new io.ostraka.api.JobConfigurationException(
                job.name,
                "shardingStrategy",
                configuration.shardingStrategy(),
                "those that the leading instance has: " + strategies.keySet());
    }

    private void write(Watched job, JobView view, PlanDecision.Write write, Map<String, ItemView> items) {
        List<RecordWrite> records = new ArrayList<>();
        write.records().forEach((item, to) -> {
            ItemView known = items.get(item);
            records.add(new RecordWrite(item, known == null ? null : known.record(), to));
        });
        Versioned<ShardingPlan> from = view.plan();
        ShardingPlan next = write.plan();
        await(
                job,
                coordination
                        .items()
                        .commit(new PlanTransaction(
                                job.name,
                                Objects.requireNonNull(leadership, "leadership"),
                                from,
                                next,
                                records,
                                next == null ? Map.of() : handovers(next, items),
                                Set.of())),
                verdict -> written(job, from, next, verdict));
    }

    /** What is interrupted, and who is to take it over. */
    private Map<String, HandoverWrite> handovers(ShardingPlan plan, Map<String, ItemView> items) {
        Map<String, String> owners = plan.owners();
        Map<String, HandoverWrite> handovers = new TreeMap<>();
        items.forEach((item, view) -> {
            String to = owners.get(item);
            if (to != null && view.interrupted() && view.record() != null) {
                Run run = view.record().value().requireRun();
                boolean livesOn = instances().stream()
                        .anyMatch(instance -> instance.earlierIds().contains(run.owner()));
                Handover handover = new Handover(run.fire().id(), run.attempt(), run.owner(), to, livesOn);
                if (!handover.equals(view.handover())) {
                    handovers.put(item, new HandoverWrite(handover, view.handover() != null));
                }
            }
        });
        return handovers;
    }

    private void written(
            Watched job, @Nullable Versioned<ShardingPlan> from, @Nullable ShardingPlan next, Verdict verdict) {
        job.stale = true;
        if (verdict instanceof Verdict.Done done) {
            Outcome.Committed commit = done.commit();
            log.debug("job '{}': plan written: {}", job.name, next);
            JobView view = job.view;
            if (from != null && next != null && view != null && commit.zxid() != 0) {
                Versioned<ShardingPlan> plan = from.next(next, commit);
                job.view = new JobView(job.name, view.definition(), view.override(), plan, null);
                job.stale = false;
            }
            job.again |= next == null || next.closed();
        } else if (verdict instanceof Verdict.Outdated outdated) {
            log.debug("job '{}': plan not written: {} is outdated", job.name, outdated.about());
            if (outdated.about() == Verdict.About.LEADERSHIP) {
                stepDown(); // another leads, or will; if it is this instance after all, the next look takes the epoch
                return;
            }
        } else if (verdict instanceof Verdict.Refused) {
            report(job, "ZooKeeper refused its plan; check access rights and jute.maxbuffer");
        }
        done(job, !(verdict instanceof Verdict.Done));
    }

    // ---- housekeeping

    private void audit(Watched job) {
        Leadership asked = leadership;
        coordination
                .items()
                .keys(job.name)
                .thenCompose(keys -> coordination.items().read(job.name, keys, false))
                .whenComplete((items, error) -> lane.execute(() -> {
                    JobView view = job.view;
                    if (error == null && leadership == asked && asked != null && view != null && !job.busy) {
                        mendHandovers(job, view, asked, items);
                    }
                }));
        coordination
                .fires()
                .kept(job.name)
                .thenAccept(fires -> fires.forEach(fire -> coordination
                        .fires()
                        .forget(
                                job.name,
                                fire,
                                coordination.membership().serverTime().minus(FIRES_KEPT))));
    }

    /** Removes failover nodes that are no longer true, and writes those that are missing. */
    private void mendHandovers(Watched job, JobView view, Leadership asked, Collection<ItemView> items) {
        Versioned<ShardingPlan> plan = view.plan();
        if (plan == null) {
            return;
        }
        Set<String> stale = new HashSet<>();
        Map<String, ItemView> all = byItem(List.copyOf(items));
        all.forEach((item, found) -> {
            if (found.handover() != null && !found.interrupted()) {
                stale.add(item);
            }
        });
        Map<String, HandoverWrite> missing = handovers(plan.value(), all);
        if (stale.isEmpty() && missing.isEmpty()) {
            return;
        }
        job.busy = true;
        await(
                job,
                coordination
                        .items()
                        .commit(new PlanTransaction(job.name, asked, plan, null, List.of(), missing, stale)),
                verdict -> done(job, false));
    }

    /** Triggers of a removed job end, with nothing run. */
    private void settleTriggers(String job) {
        coordination.fires().triggers().thenAccept(triggers -> triggers.stream()
                .filter(trigger -> trigger.request().job().equals(job))
                .forEach(trigger -> coordination
                        .items()
                        .commit(new ItemTransaction(
                                job,
                                null,
                                List.of(),
                                new ItemTransaction.FireWrite(
                                        trigger.fire().id(),
                                        null,
                                        FireProgress.begun(trigger.name(), Set.of()),
                                        true)))));
    }

    private List<InstanceInfo> instances() {
        return Objects.requireNonNull(instances, "instances");
    }
}
