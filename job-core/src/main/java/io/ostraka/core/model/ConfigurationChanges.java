package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Words for the differences between two configurations of a job, for log lines and for the results of commands. */
public final class ConfigurationChanges {
    /** Fields that the health report covers. */
    private static final Set<String> ELSEWHERE = Set.of("paused");
    /** Fields that are named without their values, which may be secret. */
    private static final Set<String> SECRET = Set.of("jobParameter", "shardingItemParameters");

    private static final Set<String> ITEMS = Set.of("shardingTotalCount", "scope");

    private ConfigurationChanges() {}

    /** Returns the names of the overridden fields with their deployed values, except secret values. */
    public static List<String> overridden(JobOverride override, JobConfiguration deployed) {
        return override.fields().keySet().stream()
                .filter(field -> !ELSEWHERE.contains(field.name()))
                .map(field ->
                        field + (SECRET.contains(field.name()) ? "" : " (deployed: " + text(deployed, field) + ")"))
                .toList();
    }

    /** Returns the names of the changed fields with their old and new values, except secret values. */
    public static List<String> of(JobConfiguration before, JobConfiguration now) {
        List<String> changes = new ArrayList<>();
        if (before.shardingTotalCount() != now.shardingTotalCount() || before.scope() != now.scope()) {
            changes.add(items(before) + " to " + items(now));
        }
        for (JobField<?> field : JobConfiguration.fields()) {
            if (!ELSEWHERE.contains(field.name())
                    && !ITEMS.contains(field.name())
                    && !Objects.equals(before.value(field), now.value(field))) {
                changes.add(field
                        + (SECRET.contains(field.name()) ? "" : " " + text(before, field) + " to " + text(now, field)));
            }
        }
        return changes;
    }

    private static String text(JobConfiguration job, JobField<?> field) {
        Object value = job.value(field);
        return value == null ? "none" : value.toString();
    }

    /** Returns the number of items, or the scope of a job without numbered items. */
    public static String items(JobConfiguration job) {
        return ShardingPlan.numbered(job.scope())
                ? job.shardingTotalCount() + (job.shardingTotalCount() == 1 ? " item" : " items")
                : "scope " + job.scope();
    }
}
