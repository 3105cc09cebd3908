package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Schedule;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an operator wants of a job, kept apart from its definition: desired state, and values that stand in for the
 * definition's.
 *
 * @param paused whether no scheduled fire starts; manual triggers do. Null leaves it to the definition
 * @param removed the job is to be removed, or is
 * @param disabledItems items of which nothing starts
 * @param disabledInstances instances that get none of its items, by name, id or host
 * @param shardingTotalCount stands in for the definition's; null leaves it
 * @param schedule stands in for the definition's; null leaves it
 * @param jobParameter stands in for the definition's; null leaves it
 */
public record JobOverride(
        @Nullable Boolean paused,
        boolean removed,
        Set<String> disabledItems,
        Set<String> disabledInstances,
        @Nullable Integer shardingTotalCount,
        @Nullable Schedule schedule,
        @Nullable String jobParameter) {
    /** Nothing is overridden. */
    public static final JobOverride NONE = new JobOverride(null, false, Set.of(), Set.of(), null, null, null);

    private static final Map<String, Function<JobOverride, @Nullable Object>> FIELDS = Map.of(
            "paused", JobOverride::paused,
            "removed", JobOverride::removed,
            "disabledItems", JobOverride::disabledItems,
            "disabledInstances", JobOverride::disabledInstances,
            "shardingTotalCount", JobOverride::shardingTotalCount,
            "schedule", JobOverride::schedule,
            "jobParameter", JobOverride::jobParameter);

    /** Copies what is disabled, in order. */
    public JobOverride {
        disabledItems = Collections.unmodifiableSet(new TreeSet<>(disabledItems));
        Names.require("disabledInstances", disabledInstances);
        disabledInstances = Collections.unmodifiableSet(new TreeSet<>(disabledInstances));
    }

    /** Returns the names of the fields that differ between two overrides. */
    public static Set<String> changed(JobOverride before, JobOverride after) {
        Set<String> changed = new TreeSet<>();
        FIELDS.forEach((name, field) -> {
            if (!Objects.equals(field.apply(before), field.apply(after))) {
                changed.add(name);
            }
        });
        return changed;
    }

    /**
     * Returns an instance's name or id, or a host.
     *
     * @throws JobConfigurationException when it can't be one; there needn't be any such
     */
    public static String requireInstance(String job, String instance) {
        if (!Names.accepted(instance)) {
            throw new JobConfigurationException(
                    job,
                    "disabledInstances",
                    instance,
                    "an instance's name, its id, name@pid@session, or a host, of letters, digits and ._@-");
        }
        return instance;
    }

    /**
     * Tells whether an instance gets nothing of the job: by its host, its name, or an id of its process, whatever session it has
     * by now.
     */
    public boolean disables(InstanceInfo instance) {
        return !disabledInstances.isEmpty()
                && (disabledInstances.contains(instance.self().host())
                        || disabledInstances.contains(instance.self().name())
                        || disabledInstances.contains(instance.id())
                        || instance.earlierIds().stream().anyMatch(disabledInstances::contains));
    }

    /** Tells the same of an instance that may be gone, as far as its id does. */
    public boolean disables(String instanceId) {
        return disabledInstances.contains(instanceId) || disabledInstances.contains(JobInstance.name(instanceId));
    }

    /** Returns the effective configuration: the definition with this on top. */
    public JobConfiguration applyTo(JobConfiguration definition) {
        JobConfiguration.Builder effective = definition.toBuilder();
        if (shardingTotalCount != null) {
            int count = shardingTotalCount;
            effective.shardingTotalCount(count);
            // parameters of items that the override takes away wait for it to be taken back
            var kept = new TreeMap<>(definition.shardingItemParameters());
            kept.keySet().removeIf(item -> item >= count);
            effective.shardingItemParameters(kept);
        }
        if (schedule != null) {
            effective.schedule(schedule);
        }
        if (jobParameter != null) {
            effective.jobParameter(jobParameter);
        }
        return effective.build();
    }

    /** Tells whether scheduled fires wait: by an operator's word, or else by the definition's. */
    public boolean pauses(JobConfiguration job) {
        return paused == null ? job.paused() : paused;
    }

    /** Returns the same with the job paused or not; null for what the definition says. */
    public JobOverride withPaused(@Nullable Boolean next) {
        return new JobOverride(
                next, removed, disabledItems, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same with the job to be removed or not. */
    public JobOverride withRemoved(boolean next) {
        return new JobOverride(
                paused, next, disabledItems, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same with these items disabled, and no others. */
    public JobOverride withDisabledItems(Set<String> next) {
        return new JobOverride(paused, removed, next, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same with these instances disabled, and no others. */
    public JobOverride withDisabledInstances(Set<String> next) {
        return new JobOverride(paused, removed, disabledItems, next, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same with another item count; null for the definition's. */
    public JobOverride withShardingTotalCount(@Nullable Integer next) {
        return new JobOverride(paused, removed, disabledItems, disabledInstances, next, schedule, jobParameter);
    }

    /** Returns the same with another schedule; null for the definition's. */
    public JobOverride withSchedule(@Nullable Schedule next) {
        return new JobOverride(
                paused, removed, disabledItems, disabledInstances, shardingTotalCount, next, jobParameter);
    }

    /** Returns the same with another job parameter; null for the definition's. */
    public JobOverride withJobParameter(@Nullable String next) {
        return new JobOverride(paused, removed, disabledItems, disabledInstances, shardingTotalCount, schedule, next);
    }
}
