package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.decide.Placement;
import io.ostraka.core.decide.PlacementContext;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.placement.BuiltInStrategy;
import io.ostraka.core.time.ClockCheck;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides the plan of one job from the job's configuration and the leader's current knowledge. An application's own
 * sharding strategy runs on a worker thread. If the strategy never returns, only its job stays unplanned. Confined to
 * the leader's executor.
 */
final class PlanMaker {
    private static final Logger log = LoggerFactory.getLogger(PlanMaker.class);

    private final String job;
    private final Term term;
    private final RunTimes runTimes;

    PlanMaker(String job, Term term, RunTimes runTimes) {
        this.job = job;
        this.term = term;
        this.runTimes = runTimes;
    }

    /** Returns the data that the job's sharding strategy needs. */
    Set<Need> needs(JobView seen) {
        JobConfiguration effective = term.effective(seen);
        return effective == null ? Set.of() : term.strategies.needs(effective.shardingStrategy());
    }

    /**
     * Returns the zones without an eligible instance; empty if the configuration is invalid.
     *
     * @param plan plan with the zones to check
     * @param others further zones to check
     */
    List<String> zonesWithoutInstance(JobView seen, ShardingPlan plan, Set<String> others) {
        Set<String> zones = new TreeSet<>(plan.keys());
        zones.addAll(others);
        JobConfiguration effective = term.effective(seen);
        return effective == null
                ? List.of()
                : ScopedItems.zonesWithoutInstance(effective, term.instances, placementContext(seen), zones);
    }

    /**
     * Decides the job's next plan. The stage completes at once for a built-in strategy, and on a worker thread for a
     * strategy of the application.
     *
     * @param ledger item records and running work while the plan is closed for a change; null if the plan is open
     * @param unfinished zones without an eligible instance in which a fire was claimed and not completed
     * @param deleted the plan under which the job ran until its nodes were deleted by hand; null if this is not known
     * @param batch largest number of item records in one transaction
     */
    CompletionStage<PlanDecision> decide(
            JobView seen,
            Planning.@Nullable Ledger ledger,
            Set<String> unfinished,
            @Nullable ShardingPlan deleted,
            int batch) {
        Versioned<Definition> definition = Objects.requireNonNull(seen.definition(), "definition");
        Versioned<ShardingPlan> plan = seen.plan();
        long overrideMzxid = seen.override() == null ? 0 : seen.override().mzxid();
        JobConfiguration effective;
        FireTimes times;
        try {
            JobConfiguration valid = term.effective(seen);
            effective = valid == null ? seen.effective() : valid;
            times = term.schedule.times(effective, plan == null ? null : plan.value());
        } catch (OstrakaException e) {
            return plan == null || plan.value().overrideMzxid() == overrideMzxid
                    ? refuse(Kind.CONFIGURATION_REFUSED, e.getMessage() + "; correct the override")
                    : CompletableFuture.completedStage(withSwitches(plan.value(), overrideMzxid));
        }
        JobShardingStrategy strategy = strategy(effective, plan == null);
        if (strategy == null) {
            return refuse(
                    Kind.STRATEGY_MISSING,
                    "shardingStrategy is '" + effective.shardingStrategy() + "', and the leading instance only has "
                            + term.strategies.types() + "; install the same strategies in all instances");
        }
        Instant now = term.coordination.membership().serverTime();
        Planning.Observation observation = new Planning.Observation(
                new Planning.Wanted(
                        effective, seen.overrideOrNone(), definition.czxid(), definition.mzxid(), overrideMzxid),
                new Planning.Present(
                        plan == null ? null : plan.value(),
                        plan == null ? term.leadership.zxid() : plan.mzxid(),
                        ledger,
                        unfinished,
                        deleted),
                new Placement.Candidates(term.instances, strategy, placementContext(seen)),
                times,
                now,
                new Planning.Limits(term.drainDeadline, batch, ClockCheck.TOLERANCE));
        if (strategy instanceof BuiltInStrategy) {
            return CompletableFuture.completedStage(Planning.decide(observation));
        }
        try {
            return CompletableFuture.supplyAsync(() -> Planning.decide(observation), term.platform.workers());
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedStage(e); // the process is closing
        }
    }

    /**
     * Returns the plan for an override of which only the switches take effect, because it does not fit the definition
     * and this leader knows no valid configuration.
     */
    private static PlanDecision withSwitches(ShardingPlan plan, long overrideMzxid) {
        return new PlanDecision.Write(plan.madeFrom(plan.configMzxid(), overrideMzxid, plan.fenceEpoch()), Map.of());
    }

    private PlacementContext placementContext(JobView seen) {
        Set<Need> needs = needs(seen);
        Set<String> apart = term.distribution.apart(job, term.instances);
        Set<String> disabled = term.instances.stream()
                .filter(instance -> seen.overrideOrNone().disables(instance) || !term.knowsConfiguration(job, instance))
                .map(InstanceInfo::id)
                .collect(Collectors.toSet());
        return needs.isEmpty() && apart.isEmpty() && disabled.isEmpty()
                ? PlacementContext.NONE
                : new PlacementContext(
                        needs.contains(Need.RUN_TIMES) ? runTimes.runTimes() : Map.of(),
                        needs.contains(Need.OTHER_ITEMS) ? term.distribution.otherItems(job, term.instances) : Map.of(),
                        apart,
                        disabled,
                        // before the first plan, the current time counts as the latest fire: the first records start at
                        // this time
                        !needs.contains(Need.FIRE)
                                ? null
                                : seen.plan() == null
                                        ? term.coordination.membership().serverTime()
                                        : runTimes.lastFire(),
                        needs.contains(Need.FIRE) ? runTimes.busyOwner() : null);
    }

    private static CompletionStage<PlanDecision> refuse(Kind kind, String reason) {
        return CompletableFuture.completedStage(new PlanDecision.Refuse(kind, reason));
    }

    private @Nullable JobShardingStrategy strategy(JobConfiguration configuration, boolean first) {
        String type = configuration.shardingStrategy();
        JobShardingStrategy strategy = term.strategies.get(type);
        if (strategy == null && first) {
            log.warn(
                    "job '{}': this leader has no strategy '{}'; the default strategy places its first plan",
                    job,
                    type);
            strategy = term.strategies.get(JobConfiguration.DEFAULT_STRATEGY);
        }
        if (strategy == null
                && term.instances.size() > 1
                && term.instances.stream().anyMatch(instance -> instance.jobs().contains(job))) {
            term.handOn(); // another instance that hosts the job may have the strategy
        }
        return strategy;
    }
}
