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
 * An operator's changes to a job. They are stored apart from the job's definition, and each change replaces the value
 * of the definition.
 *
 * @param paused true if no scheduled fire starts (manual triggers still start); null keeps the definition's value
 * @param removed true if an operator has removed the job; the leader may not have deleted the job's nodes yet
 * @param disabledItems items that start no fire
 * @param disabledInstances instances that get none of the job's items, by name, id or host
 * @param shardingTotalCount replaces the definition's item count; null keeps it
 * @param schedule replaces the definition's schedule; null keeps it
 * @param jobParameter replaces the definition's job parameter; null keeps it
 */
public record JobOverride(
        @Nullable Boolean paused,
        boolean removed,
        Set<String> disabledItems,
        Set<String> disabledInstances,
        @Nullable Integer shardingTotalCount,
        @Nullable Schedule schedule,
        @Nullable String jobParameter) {
    /** No changes. */
    public static final JobOverride NONE = new JobOverride(null, false, Set.of(), Set.of(), null, null, null);

    private static final Map<String, Function<JobOverride, @Nullable Object>> FIELDS = Map.of(
            "paused", JobOverride::paused,
            "removed", JobOverride::removed,
            "disabledItems", JobOverride::disabledItems,
            "disabledInstances", JobOverride::disabledInstances,
            "shardingTotalCount", JobOverride::shardingTotalCount,
            "schedule", JobOverride::schedule,
            "jobParameter", JobOverride::jobParameter);

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
     * Returns the argument if it is a valid name or id of an instance, or a valid host name. The instance does not need
     * to exist.
     *
     * @throws JobConfigurationException if it is not valid
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

    /** Returns whether an instance is disabled for the job: by its host, by its name, or by any id of its process. */
    public boolean disables(InstanceInfo instance) {
        return !disabledInstances.isEmpty() && instance.names().anyMatch(disabledInstances::contains);
    }

    /**
     * Returns whether an instance is disabled by its id or by the name that the id contains. This check works without
     * the registration of the instance, but does not recognise a disabled host.
     */
    public boolean disables(String instanceId) {
        return disabledInstances.contains(instanceId) || disabledInstances.contains(JobInstance.name(instanceId));
    }

    /** Returns the effective configuration: the definition with this override applied. */
    public JobConfiguration applyTo(JobConfiguration definition) {
        JobConfiguration.Builder effective = definition.toBuilder();
        if (shardingTotalCount != null) {
            int count = shardingTotalCount;
            effective.shardingTotalCount(count);
            // the definition keeps parameters of items beyond this count
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

    /**
     * Returns true if scheduled fires do not start: the operator's value if it is set, otherwise the definition's
     * value.
     */
    public boolean pauses(JobConfiguration job) {
        return paused == null ? job.paused() : paused;
    }

    /** Returns the same override with another value of {@code paused}; null for the definition's value. */
    public JobOverride withPaused(@Nullable Boolean next) {
        return new JobOverride(
                next, removed, disabledItems, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same override with another value of {@code removed}. */
    public JobOverride withRemoved(boolean next) {
        return new JobOverride(
                paused, next, disabledItems, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same override with exactly these items disabled. */
    public JobOverride withDisabledItems(Set<String> next) {
        return new JobOverride(paused, removed, next, disabledInstances, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same override with exactly these instances disabled. */
    public JobOverride withDisabledInstances(Set<String> next) {
        return new JobOverride(paused, removed, disabledItems, next, shardingTotalCount, schedule, jobParameter);
    }

    /** Returns the same override with another item count; null for the definition's. */
    public JobOverride withShardingTotalCount(@Nullable Integer next) {
        return new JobOverride(paused, removed, disabledItems, disabledInstances, next, schedule, jobParameter);
    }

    /** Returns the same override with another schedule; null for the definition's. */
    public JobOverride withSchedule(@Nullable Schedule next) {
        return new JobOverride(
                paused, removed, disabledItems, disabledInstances, shardingTotalCount, next, jobParameter);
    }

    /** Returns the same override with another job parameter; null for the definition's. */
    public JobOverride withJobParameter(@Nullable String next) {
        return new JobOverride(paused, removed, disabledItems, disabledInstances, shardingTotalCount, schedule, next);
    }
}
