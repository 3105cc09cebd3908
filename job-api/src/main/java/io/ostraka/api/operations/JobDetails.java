package io.ostraka.api.operations;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Details of one job: its configuration, its activity, the settings of operators and its triggers. Immutable.
 *
 * @param summary the job as in the list of all jobs
 * @param activity runs of the job
 * @param fields all fields of the configuration, in the order of {@link io.ostraka.api.JobConfiguration#fields()};
 *     empty if the definition is missing or unreadable
 * @param disabledItems keys of the disabled items
 * @param disabledInstances names, ids and hosts of the instances that are excluded from the job
 * @param skipTo time before which no scheduled fire starts, because an operator has skipped the earlier fires (see
 *     {@link Command.SkipFires}); null if no fires were skipped
 * @param changes latest command for each of the settings {@code disabledItems}, {@code disabledInstances}, {@code
 *     removed} and {@code skipTo}, by the setting's name
 * @param triggers manual triggers that are waiting or being processed, oldest first
 * @param version version of the override, for {@link CommandOptions#expectedVersion}; 0 if there is no override
 * @param registeredBy id of the instance that registered the definition; empty if unknown
 * @param problem description of unreadable nodes of the job, of its triggers and of its backfill; null if all are
 *     readable. {@link ItemDetails} describes unreadable records
 */
public record JobDetails(
        JobSummary summary,
        JobActivity activity,
        List<FieldValue> fields,
        Set<String> disabledItems,
        Set<String> disabledInstances,
        @Nullable Instant skipTo,
        Map<String, Change> changes,
        List<TriggerDetails> triggers,
        long version,
        String registeredBy,
        @Nullable String problem) {
    /** Copies the collections. */
    public JobDetails {
        fields = List.copyOf(fields);
        disabledItems = Set.copyOf(disabledItems);
        disabledInstances = Set.copyOf(disabledInstances);
        changes = Map.copyOf(changes);
        triggers = List.copyOf(triggers);
    }

    /** Returns the field with the given name; empty if there is none. */
    public Optional<FieldValue> field(String name) {
        return fields.stream().filter(each -> each.field().equals(name)).findFirst();
    }
}
