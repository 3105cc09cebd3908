package io.ostraka.operations;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.decide.Placement;
import io.ostraka.core.decide.PlacementContext;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Uses the leader's planner to predict which items a command moves. The prediction is based on the plan, the registered
 * instances and the plan of the job that {@code antiAffinity} names. It ignores run times and the items of further
 * jobs. The leader's decision may therefore differ if the strategy uses these, or if several jobs avoid each other in a
 * cycle.
 */
final class PlacementPreview {
    private PlacementPreview() {}

    /**
     * Returns the expected effects on the placement of a job, one sentence each; none if no item moves. If the job avoids another job, reads
     * the plan of that job first.
     *
     * @param wanted the override after the command
     * @param instances the registered instances, in their states after the command
     * @param planner computes the prediction
     */
    static CompletionStage<List<String>> effects(
            Coordination coordination,
            JobView job,
            JobOverride wanted,
            List<InstanceInfo> instances,
            Executor planner) {
        List<String> avoided;
        try {
            avoided = job.definition() == null
                    ? List.of()
                    : job.definition().value().inForce(wanted).antiAffinity().stream()
                            .toList();
        } catch (JobConfigurationException e) {
            return CompletableFuture.completedStage(List.of("the placement of job '" + job.name()
                    + "' is not predicted, because its override does not fit: " + e.getMessage()));
        }
        CompletionStage<List<JobView>> others = avoided.isEmpty()
                ? CompletableFuture.completedStage(List.of())
                : coordination.jobs().plans(avoided);
        return others.thenApplyAsync(
                read -> effects(
                        job,
                        wanted,
                        instances,
                        owners(read, instances),
                        coordination.membership().serverTime()),
                planner);
    }

    /** Returns the ids of the instances that own items of any of the jobs. */
    private static Set<String> owners(List<JobView> jobs, List<InstanceInfo> instances) {
        Set<String> owners = new HashSet<>();
        jobs.stream()
                .flatMap(job -> Stream.ofNullable(job.plan()))
                .forEach(plan -> owners.addAll(plan.value().owners().values()));
        return instances.stream()
                .filter(instance -> owners.contains(instance.id())
                        || instance.earlierIds().stream().anyMatch(owners::contains))
                .map(InstanceInfo::id)
                .collect(Collectors.toSet());
    }

    private static List<String> effects(
            JobView job, JobOverride wanted, List<InstanceInfo> instances, Set<String> apart, Instant at) {
        Versioned<Definition> definition = job.definition();
        Versioned<ShardingPlan> plan = job.plan();
        if (definition == null || plan == null) {
            return List.of("job '" + job.name() + "' has no plan yet, so no item moves");
        }
        JobConfiguration effective = definition.value().inForce(wanted);
        JobShardingStrategy strategy = BuiltInStrategies.all().get(effective.shardingStrategy());
        if (strategy == null) {
            return List.of("the placement of job '" + job.name() + "' is not predicted, because its strategy "
                    + effective.shardingStrategy() + " belongs to the application");
        }
        PlanDecision decision = Planning.decide(new Planning.Observation(
                new Planning.Wanted(
                        effective,
                        wanted,
                        definition.czxid(),
                        definition.mzxid(),
                        plan.value().overrideMzxid()),
                new Planning.Present(plan.value(), plan.mzxid(), null, Set.of(), null),
                new Placement.Candidates(instances, strategy, avoiding(wanted, instances, apart)),
                FireSchedules.inForce(job.name(), plan.value().schedule(), plan.value()),
                at,
                new Planning.Limits(Duration.ofMinutes(10), Planning.BATCH, ClockCheck.TOLERANCE)));
        if (decision instanceof PlanDecision.Refuse refuse) {
            return List.of("the leader cannot plan job '" + job.name() + "' this way: " + refuse.reason());
        }
        ShardingPlan next = decision instanceof PlanDecision.Write write ? write.plan() : null;
        return next == null ? List.of() : effects(job.name(), plan.value(), next, instances);
    }

    private static PlacementContext avoiding(JobOverride wanted, List<InstanceInfo> instances, Set<String> apart) {
        Set<String> disabled = instances.stream()
                .filter(wanted::disables)
                .map(InstanceInfo::id)
                .collect(Collectors.toSet());
        return new PlacementContext(Map.of(), Map.of(), apart, disabled, null, null);
    }

    private static List<String> effects(
            String job, ShardingPlan before, ShardingPlan next, List<InstanceInfo> instances) {
        ShardingPlan.Change change = next.change();
        if (change != null && !change.equals(before.change())) {
            return List.of("job '" + job + "': " + next.changing(change)
                    + "; no scheduled fire starts until all fires that began with the old count have ended");
        }
        Map<String, String> owners = before.owners();
        Map<String, String> later = next.owners();
        Set<String> ids = instances.stream().map(InstanceInfo::id).collect(Collectors.toCollection(TreeSet::new));
        ids.addAll(owners.values());
        Map<String, Set<String>> moves = new TreeMap<>();
        Map<String, Set<String>> placed = new TreeMap<>();
        Set<String> unplaced = new TreeSet<>(ItemKeys.ORDER);
        Set<String> all = new TreeSet<>(owners.keySet());
        all.addAll(later.keySet());
        for (String item : all) {
            @Nullable String from = owners.get(item);
            @Nullable String to = later.get(item);
            if (to == null) {
                unplaced.add(item);
            } else if (from == null) {
                placed.computeIfAbsent(named(to, ids), key -> new TreeSet<>(ItemKeys.ORDER))
                        .add(item);
            } else if (!to.equals(from)) {
                moves.computeIfAbsent(named(from, ids) + " to " + named(to, ids), key -> new TreeSet<>(ItemKeys.ORDER))
                        .add(item);
            }
        }
        List<String> effects = new ArrayList<>();
        moves.forEach((way, items) ->
                effects.add("items of job '" + job + "' move from " + way + ": " + Names.listed(items)));
        placed.forEach((to, items) -> effects.add(
                "items of job '" + job + "' that no instance has move to " + to + ": " + Names.listed(items)));
        if (!unplaced.isEmpty()) {
            effects.add("items of job '" + job + "' lose their instance and wait: " + Names.listed(unplaced));
        }
        return effects;
    }

    /** Returns the name in the id of an instance; the id if several of the ids have this name. */
    static String named(String id, Collection<String> ids) {
        String name = JobInstance.name(id);
        boolean alone = ids.stream()
                .allMatch(other -> other.equals(id) || !JobInstance.name(other).equals(name));
        return alone ? name : id;
    }
}
