package io.ostraka.core.job;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the effective configuration of a job and each change to it. Each message is one line, even if the job has many
 * items. The health report, not this class, logs the reasons that keep a job from running, such as a pause.
 */
public final class ConfigurationLog {
    private static final Logger log = LoggerFactory.getLogger(ConfigurationLog.class);

    /** Fields that the health report covers. */
    private static final Set<String> ELSEWHERE = Set.of("paused");
    /** Fields that are named without their values, which may be secret. */
    private static final Set<String> SECRET = Set.of("jobParameter", "shardingItemParameters");

    private static final Set<String> ITEMS = Set.of("shardingTotalCount", "scope");

    private ConfigurationLog() {}

    /**
     * Logs the configuration of a job that has just been hosted, or its changes.
     *
     * @param last the previous state; null when the job has just been hosted
     * @param next the new state
     * @param deployed the definition alone, without an operator's override
     * @param replaced message about the definition in force if another instance's definition has replaced the one of
     *     this instance; otherwise null
     */
    static void say(
            String job,
            @Nullable JobSnapshot last,
            JobSnapshot next,
            JobConfiguration deployed,
            @Nullable String replaced) {
        JobConfiguration now = next.configuration();
        if (last == null) {
            List<String> masked = masked(next.override(), deployed);
            log.info(
                    "job '{}' is hosted here, with {}, schedule {}{}",
                    job,
                    items(now),
                    now.schedule(),
                    masked.isEmpty() ? "" : "; an operator overrides " + String.join(", ", masked));
            return;
        }
        List<String> changes = changes(last.configuration(), now);
        if (changes.isEmpty()) {
            return;
        }
        boolean overridden = !next.override().equals(last.override());
        if (overridden) {
            List<String> masked = masked(next.override(), deployed);
            log.info(
                    "job '{}': an operator has changed {}; overridden: {}",
                    job,
                    String.join(", ", changes),
                    masked.isEmpty() ? "nothing" : String.join(", ", masked));
        } else if (replaced == null) {
            log.info("job '{}': another definition is in force, with {}", job, String.join(", ", changes));
        } else {
            log.warn(
                    "job '{}' runs by another instance's definition: {}; the change: {}",
                    job,
                    replaced,
                    String.join(", ", changes));
        }
    }

    /** Returns the names of the overridden fields with their deployed values, except secret values. */
    private static List<String> masked(JobOverride override, JobConfiguration deployed) {
        return override.fields().keySet().stream()
                .filter(field -> !ELSEWHERE.contains(field.name()))
                .map(field ->
                        field + (SECRET.contains(field.name()) ? "" : " (deployed: " + text(deployed, field) + ")"))
                .toList();
    }

    /** Returns the names of the changed fields with their old and new values, except secret values. */
    public static List<String> changes(JobConfiguration before, JobConfiguration now) {
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

    private static String items(JobConfiguration job) {
        return ShardingPlan.numbered(job.scope())
                ? job.shardingTotalCount() + (job.shardingTotalCount() == 1 ? " item" : " items")
                : "scope " + job.scope();
    }
}
