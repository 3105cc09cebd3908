package io.ostraka.core.model;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An operator's changes to a job. They are stored separately from the job's definition. Each changed field replaces the
 * definition's value.
 *
 * @param fields changed fields of the definition, in the order of the definition. An empty value means that the field
 *     has no value, even if the definition has one
 * @param removed true if an operator has removed the job; the leader may not have emptied the job's plan yet
 * @param disabledItems items whose fires do not start
 * @param disabledInstances names, ids or hosts of instances that get none of the job's items
 * @param skipTo instant before which no scheduled fire starts; null for none
 * @param silencedAlarms kinds of alarms that no handler receives
 * @param changes origin of the changes, by the name of the changed field or component. A change without an entry was
 *     made by a manual edit of the node
 * @param requests ids of the latest requests that changed this override, oldest first
 */
public record JobOverride(
        Map<JobField<?>, Optional<?>> fields,
        boolean removed,
        Set<String> disabledItems,
        Set<String> disabledInstances,
        @Nullable Instant skipTo,
        Set<AlarmKind> silencedAlarms,
        Map<String, Change> changes,
        List<String> requests) {
    /** No changes. */
    public static final JobOverride NONE =
            new JobOverride(Map.of(), false, Set.of(), Set.of(), null, Set.of(), Map.of(), List.of());

    /** Number of request ids that an override remembers. */
    public static final int MOST_REQUESTS = 16;

    /** Beginning of the text that explains a pause set in the definition; the {@link #pauseReason} follows. */
    public static final String REGISTERED_AS_PAUSED = "registered as paused: ";

    private static final int LONGEST_REQUEST = 128;

    private static final JobField<Integer> SHARDING_TOTAL_COUNT = field("shardingTotalCount");
    private static final JobField<Map<Integer, String>> SHARDING_ITEM_PARAMETERS = field("shardingItemParameters");
    private static final JobField<Schedule> SCHEDULE = field("schedule");
    private static final JobField<String> JOB_PARAMETER = field("jobParameter");
    private static final JobField<Boolean> PAUSED = field("paused");
    private static final JobField<Integer> FENCE_EPOCH = field("fenceEpoch");

    private static final String REMOVED = "removed";
    private static final String DISABLED_ITEMS = "disabledItems";
    private static final String DISABLED_INSTANCES = "disabledInstances";
    private static final String SKIP_TO = "skipTo";
    private static final String SILENCED_ALARMS = "silencedAlarms";
    /** Names of the field and the components that take effect even if the override does not fit the definition. */
    public static final Set<String> SWITCHES =
            Set.of(PAUSED.name(), REMOVED, DISABLED_ITEMS, DISABLED_INSTANCES, SILENCED_ALARMS);

    /** Names of fields and components whose changes cannot end by themselves. */
    private static final Set<String> LASTING = Set.of(FENCE_EPOCH.name(), REMOVED, SKIP_TO);

    /**
     * Origin of a change.
     *
     * @param by operator who made the change, at most {@value #LONGEST_BY} characters
     * @param reason the operator's reason, at most {@value #LONGEST_REASON} characters; may be empty
     * @param at time of the change on the server's clock
     * @param until time on the server's clock at which the leader undoes the change; null for never
     */
    public record Change(String by, String reason, Instant at, @Nullable Instant until) {
        /** Largest length of {@link #by}. */
        public static final int LONGEST_BY = 128;

        /** Largest length of {@link #reason}. */
        public static final int LONGEST_REASON = 500;

        /** Checks the texts. */
        public Change {
            Names.requirePrintable("by", by, LONGEST_BY);
            Names.requirePrintable("reason", reason, LONGEST_REASON);
            Objects.requireNonNull(at, "at");
        }
    }

    /** Copies the collections. Drops all but the latest requests, and the origins of unchanged fields. */
    public JobOverride {
        Map<JobField<?>, Optional<?>> ordered = new LinkedHashMap<>();
        for (JobField<?> field : JobConfiguration.fields()) {
            Optional<?> value = fields.get(field);
            if (value != null) {
                ordered.put(requireOverridable(field), value);
            }
        }
        fields = Collections.unmodifiableMap(ordered);
        disabledItems = Collections.unmodifiableSet(new TreeSet<>(disabledItems));
        Names.require(DISABLED_INSTANCES, disabledInstances);
        disabledInstances = Collections.unmodifiableSet(new TreeSet<>(disabledInstances));
        silencedAlarms = Collections.unmodifiableSet(new TreeSet<>(silencedAlarms));
        Set<String> changed = values(fields, removed, disabledItems, disabledInstances, skipTo, silencedAlarms)
                .keySet();
        Map<String, Change> known = new TreeMap<>(changes);
        known.keySet().removeIf(name -> names().anyMatch(name::equals) && !changed.contains(name));
        changes = Collections.unmodifiableMap(known);
        requests = List.copyOf(requests.subList(Math.max(0, requests.size() - MOST_REQUESTS), requests.size()));
    }

    @SuppressWarnings("unchecked") // the caller names the type that JobConfiguration declares
    private static <T> JobField<T> field(String name) {
        return (JobField<T>) JobConfiguration.field(name).orElseThrow(() -> new NoSuchElementException(name));
    }

    private static JobField<?> requireOverridable(JobField<?> field) {
        if (!field.isOverridable()) {
            throw new IllegalArgumentException(field + " cannot be overridden");
        }
        return field;
    }

    /** Returns all names that {@link #changes} can contain: the fields that can be overridden, and the components. */
    public static Stream<String> names() {
        return Stream.concat(
                JobConfiguration.fields().stream()
                        .filter(JobField::isOverridable)
                        .map(JobField::name),
                Stream.of(REMOVED, DISABLED_ITEMS, DISABLED_INSTANCES, SKIP_TO, SILENCED_ALARMS));
    }

    private static Map<String, Object> values(
            Map<JobField<?>, Optional<?>> fields,
            boolean removed,
            Set<String> disabledItems,
            Set<String> disabledInstances,
            @Nullable Instant skipTo,
            Set<AlarmKind> silencedAlarms) {
        Map<String, Object> values = new TreeMap<>();
        fields.forEach((field, value) -> values.put(field.name(), value));
        if (removed) {
            values.put(REMOVED, true);
        }
        if (!disabledItems.isEmpty()) {
            values.put(DISABLED_ITEMS, disabledItems);
        }
        if (!disabledInstances.isEmpty()) {
            values.put(DISABLED_INSTANCES, disabledInstances);
        }
        if (skipTo != null) {
            values.put(SKIP_TO, skipTo);
        }
        if (!silencedAlarms.isEmpty()) {
            values.put(SILENCED_ALARMS, silencedAlarms);
        }
        return values;
    }

    /** Returns the changed values by name. */
    private Map<String, Object> values() {
        return values(fields, removed, disabledItems, disabledInstances, skipTo, silencedAlarms);
    }

    /** Returns the names of the fields and components whose value or origin differs between two overrides. */
    public static Set<String> changed(JobOverride before, JobOverride after) {
        Set<String> changed = differing(before.values(), after.values());
        changed.addAll(differing(before.changes, after.changes));
        return changed;
    }

    private static Set<String> differing(Map<String, ?> before, Map<String, ?> after) {
        Set<String> differing = new TreeSet<>(before.keySet());
        differing.addAll(after.keySet());
        differing.removeIf(name -> Objects.equals(before.get(name), after.get(name)));
        return differing;
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
                    DISABLED_INSTANCES,
                    instance,
                    "an instance's name, its id, name@pid@session, or a host, of letters, digits and ._@-");
        }
        return instance;
    }

    /**
     * Returns the argument if it is a valid id of a request.
     *
     * @throws IllegalArgumentException if it is not valid
     */
    public static String requireRequest(String request) {
        Names.requirePrintable("request id", request, LONGEST_REQUEST);
        if (request.isEmpty()) {
            throw new IllegalArgumentException(
                    "request id is empty; accepted: 1 to " + LONGEST_REQUEST + " characters");
        }
        return request;
    }

    /**
     * Returns the field with the given name.
     *
     * @throws JobConfigurationException if there is no such field, or it cannot be overridden
     */
    public static JobField<?> requireField(String job, String name) {
        return JobConfiguration.field(name)
                .filter(JobField::isOverridable)
                .orElseThrow(() -> new JobConfigurationException(
                        job,
                        "overridden field",
                        name,
                        "one of "
                                + JobConfiguration.fields().stream()
                                        .filter(JobField::isOverridable)
                                        .toList()));
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

    /**
     * Returns the effective configuration: the definition with this override applied. The higher of their two fence
     * epochs applies.
     *
     * @throws JobConfigurationException if the definition is not valid with this override
     */
    public JobConfiguration applyTo(JobConfiguration definition) {
        if (fields.isEmpty()) {
            return definition;
        }
        JobConfiguration.Builder effective = definition.toBuilder();
        fields.forEach((field, value) -> set(effective, field, value));
        Integer count = value(SHARDING_TOTAL_COUNT);
        if (count != null && !fields.containsKey(SHARDING_ITEM_PARAMETERS)) {
            // the definition may have parameters of items beyond this count
            var kept = new TreeMap<>(definition.shardingItemParameters());
            kept.keySet().removeIf(item -> item >= count);
            effective.shardingItemParameters(kept);
        }
        Integer epoch = value(FENCE_EPOCH);
        if (epoch != null) {
            effective.fenceEpoch(Math.max(epoch, definition.fenceEpoch()));
        }
        return effective.build();
    }

    @SuppressWarnings("unchecked") // with() accepts only values of the field's type
    private static <T> void set(JobConfiguration.Builder effective, JobField<T> field, Optional<?> value) {
        effective.set(field, (T) value.orElse(null));
    }

    /**
     * Returns the value that replaces the definition's value; null if the override does not change the field, or if it
     * clears the field.
     */
    @SuppressWarnings("unchecked") // with() accepts only values of the field's type
    public <T> @Nullable T value(JobField<T> field) {
        return (T) fields.getOrDefault(field, Optional.empty()).orElse(null);
    }

    /**
     * Returns true if an operator has paused the job, false if an operator has resumed it, and null if the definition's
     * value applies.
     */
    public @Nullable Boolean paused() {
        return value(PAUSED);
    }

    /** Returns the item count that an operator has set; null if the definition's item count applies. */
    public @Nullable Integer shardingTotalCount() {
        return value(SHARDING_TOTAL_COUNT);
    }

    /** Returns the schedule that an operator has set; null if the definition's schedule applies. */
    public @Nullable Schedule schedule() {
        return value(SCHEDULE);
    }

    /** Returns the fence epoch that an operator has set; null if the definition's fence epoch applies. */
    public @Nullable Integer fenceEpoch() {
        return value(FENCE_EPOCH);
    }

    /** Returns whether the job is paused: the operator's value if it is set, otherwise the definition's value. */
    public boolean pauses(JobConfiguration job) {
        Boolean paused = paused();
        return paused == null ? job.paused() : paused;
    }

    /**
     * Returns the definition's reason for its pause; empty if it has none, or if an operator has paused or resumed the
     * job.
     */
    public String pauseReason(JobConfiguration job) {
        return paused() == null && job.paused() ? job.pauseReason() : "";
    }

    /**
     * Returns a copy with the given value of a field. If the value differs from the present one, the field has no
     * origin until {@link #because} sets one.
     *
     * @param next the value; null for no value, which only a field without a default accepts
     * @throws IllegalArgumentException if the field cannot be overridden
     */
    public <T> JobOverride with(JobField<T> field, @Nullable T next) {
        Map<JobField<?>, Optional<?>> all = new HashMap<>(fields);
        all.put(field, Optional.ofNullable(field.copy(next)));
        return next(all, removed, disabledItems, disabledInstances, skipTo, silencedAlarms);
    }

    /** Returns the same override without a change of this field, so the definition's value applies. */
    public JobOverride without(JobField<?> field) {
        Map<JobField<?>, Optional<?>> all = new HashMap<>(fields);
        all.remove(field);
        return next(all, removed, disabledItems, disabledInstances, skipTo, silencedAlarms);
    }

    private <T> JobOverride withOrWithout(JobField<T> field, @Nullable T next) {
        return next == null ? without(field) : with(field, next);
    }

    /** Returns the same override with this value of {@code paused}; null for the definition's value. */
    public JobOverride withPaused(@Nullable Boolean next) {
        return withOrWithout(PAUSED, next);
    }

    /** Returns the same override with this item count; null for the definition's item count. */
    public JobOverride withShardingTotalCount(@Nullable Integer next) {
        return withOrWithout(SHARDING_TOTAL_COUNT, next);
    }

    /** Returns the same override with this schedule; null for the definition's schedule. */
    public JobOverride withSchedule(@Nullable Schedule next) {
        return withOrWithout(SCHEDULE, next);
    }

    /** Returns the same override with this job parameter; null for the definition's job parameter. */
    public JobOverride withJobParameter(@Nullable String next) {
        return withOrWithout(JOB_PARAMETER, next);
    }

    /** Returns the same override with this value of {@code removed}. */
    public JobOverride withRemoved(boolean next) {
        return next(fields, next, disabledItems, disabledInstances, skipTo, silencedAlarms);
    }

    /** Returns the same override with exactly these items disabled. */
    public JobOverride withDisabledItems(Set<String> next) {
        return next(fields, removed, next, disabledInstances, skipTo, silencedAlarms);
    }

    /** Returns the same override with exactly these instances disabled. */
    public JobOverride withDisabledInstances(Set<String> next) {
        return next(fields, removed, disabledItems, next, skipTo, silencedAlarms);
    }

    /** Returns the same override with this instant before which no scheduled fire starts; null for none. */
    public JobOverride withSkipTo(@Nullable Instant next) {
        return next(fields, removed, disabledItems, disabledInstances, next, silencedAlarms);
    }

    /** Returns the same override with exactly these kinds of alarms silenced. */
    public JobOverride withSilencedAlarms(Set<AlarmKind> next) {
        return next(fields, removed, disabledItems, disabledInstances, skipTo, next);
    }

    /** Returns an override with these values. Values that differ from those of this override have no origin. */
    private JobOverride next(
            Map<JobField<?>, Optional<?>> nextFields,
            boolean nextRemoved,
            Set<String> items,
            Set<String> instances,
            @Nullable Instant nextSkipTo,
            Set<AlarmKind> silenced) {
        Map<String, Object> next = values(nextFields, nextRemoved, items, instances, nextSkipTo, silenced);
        Map<String, Change> left = new TreeMap<>(changes);
        left.keySet().removeAll(differing(values(), next));
        return new JobOverride(nextFields, nextRemoved, items, instances, nextSkipTo, silenced, left, requests);
    }

    /**
     * Returns the same override with this origin for the named changes. A change keeps its earlier origin if that
     * origin has the same reason and end. A name without a change gets no origin.
     */
    public JobOverride because(Change origin, Collection<String> names) {
        Map<String, Change> all = new TreeMap<>(changes);
        for (String name : names) {
            Change known = all.get(name);
            boolean same = known != null
                    && known.reason().equals(origin.reason())
                    && Objects.equals(known.until(), origin.until());
            all.put(name, same ? known : origin);
        }
        return new JobOverride(
                fields, removed, disabledItems, disabledInstances, skipTo, silencedAlarms, all, requests);
    }

    /**
     * Returns the same override with the ids of the requests that have changed it.
     *
     * @param before ids of the earlier requests, oldest first
     * @param request id of the latest request; null for a request without an id
     */
    public JobOverride after(List<String> before, @Nullable String request) {
        List<String> all = new ArrayList<>(before);
        if (request != null) {
            all.add(request);
        }
        return new JobOverride(fields, removed, disabledItems, disabledInstances, skipTo, silencedAlarms, changes, all);
    }

    /** Returns the end times of all temporary changes, by the name of the changed field or component. */
    public Map<String, Instant> ends() {
        Map<String, Instant> ends = new TreeMap<>();
        changes.forEach((name, change) -> {
            Instant until = change.until();
            if (until != null && names().anyMatch(name::equals) && !LASTING.contains(name)) {
                ends.put(name, until);
            }
        });
        return ends;
    }

    /** Returns the override without the changes that have ended; the same object if no change has ended. */
    public JobOverride endedAt(Instant now) {
        Map<String, Instant> ended = ends();
        ended.values().removeIf(now::isBefore);
        if (ended.isEmpty()) {
            return this;
        }
        Map<JobField<?>, Optional<?>> left = new HashMap<>(fields);
        left.keySet().removeIf(field -> ended.containsKey(field.name()));
        return next(
                left,
                removed,
                ended.containsKey(DISABLED_ITEMS) ? Set.of() : disabledItems,
                ended.containsKey(DISABLED_INSTANCES) ? Set.of() : disabledInstances,
                skipTo,
                ended.containsKey(SILENCED_ALARMS) ? Set.of() : silencedAlarms);
    }

    /**
     * Checks the end time of each change that the earlier override does not contain.
     *
     * @param now current time on the server's clock
     * @throws JobConfigurationException if an end is not in the future, or a change cannot end by itself
     */
    void requireEnds(String job, JobOverride before, Instant now) {
        changes.forEach((name, change) -> {
            Instant until = change.until();
            if (until != null && !change.equals(before.changes.get(name))) {
                boolean lasting = LASTING.contains(name);
                if (lasting || !until.isAfter(now)) {
                    throw new JobConfigurationException(
                            job,
                            "the end of the change of " + name,
                            until,
                            lasting ? "none, because the change lasts" : "a time after now, " + now);
                }
            }
        });
    }
}
