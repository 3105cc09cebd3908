package io.ostraka.core.job;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the effective configuration of a job and each change of it, in one line regardless of the number of items. The
 * health report, not this class, logs the reasons that keep a job from running, such as a pause.
 */
final class ConfigurationLog {
    private static final Logger log = LoggerFactory.getLogger(ConfigurationLog.class);

    private ConfigurationLog() {}

    /**
     * Logs the configuration of a job that has just been hosted, or its changes.
     *
     * @param last the previous state; null when the job has just been hosted
     * @param next the new state
     * @param deployed the definition alone, without an operator's override
     */
    static void say(String job, @Nullable JobSnapshot last, JobSnapshot next, JobConfiguration deployed) {
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
        JobConfiguration before = last.configuration();
        if (now.equals(before)) {
            return;
        }
        boolean overridden = !next.override().equals(last.override());
        List<String> changes = changes(before, now);
        if (overridden) {
            List<String> masked = masked(next.override(), deployed);
            log.info(
                    "job '{}': an operator has changed {}; overridden: {}",
                    job,
                    String.join(", ", changes),
                    masked.isEmpty() ? "nothing" : String.join(", ", masked));
        } else {
            log.info("job '{}': another definition is in force, with {}", job, String.join(", ", changes));
        }
    }

    /**
     * Returns the names of the overridden fields with their deployed values. The job parameter is named without its
     * value, because it may be a secret.
     */
    private static List<String> masked(JobOverride override, JobConfiguration deployed) {
        List<String> masked = new ArrayList<>();
        if (override.schedule() != null) {
            masked.add("schedule (deployed: " + deployed.schedule() + ")");
        }
        if (override.shardingTotalCount() != null) {
            masked.add("shardingTotalCount (deployed: " + deployed.shardingTotalCount() + ")");
        }
        if (override.jobParameter() != null) {
            masked.add("jobParameter");
        }
        return masked;
    }

    private static List<String> changes(JobConfiguration before, JobConfiguration now) {
        List<String> changes = new ArrayList<>();
        if (!before.schedule().equals(now.schedule())) {
            changes.add("schedule " + before.schedule() + " to " + now.schedule());
        }
        if (before.shardingTotalCount() != now.shardingTotalCount() || before.scope() != now.scope()) {
            changes.add(items(before) + " to " + items(now));
        }
        if (!before.jobParameter().equals(now.jobParameter())) {
            changes.add("jobParameter");
        }
        if (changes.isEmpty()) {
            changes.add("other options than before");
        }
        return changes;
    }

    private static String items(JobConfiguration job) {
        return ShardingPlan.numbered(job.scope())
                ? job.shardingTotalCount() + (job.shardingTotalCount() == 1 ? " item" : " items")
                : "scope " + job.scope();
    }
}
