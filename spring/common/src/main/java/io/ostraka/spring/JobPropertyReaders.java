package io.ostraka.spring;

import io.ostraka.api.InstanceMatch;
import io.ostraka.api.RetryPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the value of a field of {@link io.ostraka.api.JobConfiguration} from the properties of a job. */
final class JobPropertyReaders {
    /**
     * Readers by the name of the field, for all fields except the name and the schedule. A reader returns null if the
     * property is not set, and throws an {@code IllegalArgumentException} if its text is not accepted.
     */
    static final Map<String, Function<JobProperties, @Nullable Object>> ALL = all();

    private JobPropertyReaders() {}

    private static Map<String, Function<JobProperties, @Nullable Object>> all() {
        Map<String, Function<JobProperties, @Nullable Object>> all = new HashMap<>();
        all.put("shardingTotalCount", JobProperties::shardingTotalCount);
        all.put("scope", JobProperties::scope);
        all.put("shardingItemParameters", JobProperties::shardingItemParameters);
        all.put("jobParameter", JobProperties::jobParameter);
        all.put("description", JobProperties::description);
        all.put("labels", JobProperties::labels);
        all.put("history", JobProperties::history);
        all.put("alarms", JobProperties::alarms);
        all.put("paused", JobProperties::paused);
        all.put("pauseReason", JobProperties::pauseReason);
        all.put("streaming", JobProperties::streaming);
        all.put("fenceEpoch", JobProperties::fenceEpoch);
        all.put("revision", JobProperties::revision);
        all.put("shardingStrategy", JobProperties::shardingStrategy);
        all.put("requiredInstances", own -> match(own.requiredInstances()));
        all.put("preferredInstances", own -> match(own.preferredInstances()));
        all.put("maxItemsPerInstance", JobProperties::maxItemsPerInstance);
        all.put("antiAffinity", JobProperties::antiAffinity);
        all.put("staticSharding", JobProperties::staticSharding);
        all.put("restartGrace", JobProperties::restartGrace);
        all.put("concurrency", JobProperties::concurrency);
        all.put("timeout", JobProperties::timeout);
        all.put("maxAttempts", JobProperties::maxAttempts);
        all.put("quarantineAfter", JobProperties::quarantineAfter);
        all.put("shutdownGrace", JobProperties::shutdownGrace);
        all.put("misfire", JobProperties::misfire);
        all.put("misfireThreshold", JobProperties::misfireThreshold);
        all.put("catchUpWindow", JobProperties::catchUpWindow);
        all.put("overlap", JobProperties::overlap);
        all.put("retry", JobProperties::retry);
        all.put("failover", JobProperties::failover);
        all.put("sessionLoss", JobProperties::sessionLoss);
        all.put("errorHandler", JobProperties::errorHandler);
        return Map.copyOf(all);
    }

    private static @Nullable InstanceMatch match(@Nullable String text) {
        try {
            return text == null ? null : InstanceMatch.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not a condition: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the retries of a job: its own properties, and for each property that it does not set, the value from
     * {@code below}.
     *
     * @param below retries that the job would have without properties of its own
     * @throws IllegalArgumentException if the result is not accepted
     */
    static RetryPolicy retry(JobProperties.Retry own, RetryPolicy below) {
        return new RetryPolicy(
                Objects.requireNonNullElse(own.attempts(), below.attempts()),
                Objects.requireNonNullElse(own.initial(), below.initial()),
                Objects.requireNonNullElse(own.factor(), below.factor()),
                Objects.requireNonNullElse(own.max(), below.max()),
                Objects.requireNonNullElse(own.jitter(), below.jitter()));
    }
}
