package io.ostraka.core.job;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.ConfigurationChanges;
import io.ostraka.core.model.JobSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the effective configuration of a job and each change to it. Each message is one line, even if the job has many
 * items. The health report, not this class, logs the reasons that keep a job from running, such as a pause.
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
            List<String> masked = ConfigurationChanges.overridden(next.override(), deployed);
            log.info(
                    "job '{}' is hosted here, with {}, schedule {}{}",
                    job,
                    ConfigurationChanges.items(now),
                    now.schedule(),
                    masked.isEmpty() ? "" : "; an operator overrides " + String.join(", ", masked));
            return;
        }
        List<String> changes = ConfigurationChanges.of(last.configuration(), now);
        if (changes.isEmpty()) {
            return;
        }
        boolean overridden = !next.override().equals(last.override());
        if (overridden) {
            List<String> masked = ConfigurationChanges.overridden(next.override(), deployed);
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
}
