package io.ostraka.core.coordination;

import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The form of a definition: by its builder, so that each value is checked as where it is registered. */
final class ConfigurationForm implements JsonSerializer<JobConfiguration>, JsonDeserializer<JobConfiguration> {
    private static final String MISFIRE_THRESHOLD = "misfireThreshold";
    private static final String TIMEOUT = "timeout";
    private static final String RETRY = "retry";
    private static final String QUARANTINE_AFTER = "quarantineAfter";
    private static final String CONCURRENCY = "concurrency";
    private static final String CATCH_UP_WINDOW = "catchUpWindow";
    /** Not there in definitions of before. */
    private static final String PAUSED = "paused";
    /** Not there by default. */
    private static final String ERROR_HANDLER = "errorHandler";

    /** Only there where it holds. */
    private static final String ONCE_LISTENERS = "onceListeners";

    private static final String REQUIRED_INSTANCES = "requiredInstances";
    private static final String PREFERRED_INSTANCES = "preferredInstances";
    private static final String MAX_ITEMS_PER_INSTANCE = "maxItemsPerInstance";
    private static final String ANTI_AFFINITY = "antiAffinity";
    /** Only there where it holds. */
    private static final String STATIC_SHARDING = "staticSharding";

    private static final String RESTART_GRACE = "restartGrace";

    /** Only there where it isn't the default. */
    private static final String SCOPE = "scope";

    private static final List<String> OPTIONAL = List.of(
            SCOPE,
            MISFIRE_THRESHOLD,
            CATCH_UP_WINDOW,
            TIMEOUT,
            RETRY,
            QUARANTINE_AFTER,
            CONCURRENCY,
            PAUSED,
            ERROR_HANDLER,
            ONCE_LISTENERS,
            REQUIRED_INSTANCES,
            PREFERRED_INSTANCES,
            MAX_ITEMS_PER_INSTANCE,
            ANTI_AFFINITY,
            STATIC_SHARDING,
            RESTART_GRACE);

    private static final List<String> REQUIRED = List.of(
            "jobName",
            "shardingTotalCount",
            "schedule",
            "shardingItemParameters",
            "jobParameter",
            "description",
            "failover",
            "maxAttempts",
            "misfire",
            "overlap",
            "sessionLoss",
            "shutdownGrace",
            "shardingStrategy",
            "streaming",
            "fenceEpoch",
            "revision");

    private static final TypeToken<Map<Integer, String>> PARAMETERS = new TypeToken<>() {};

    /** Returns all fields that a definition may have. */
    static Stream<String> fields() {
        return Stream.concat(REQUIRED.stream(), OPTIONAL.stream());
    }

    @Override
    public JsonElement serialize(JobConfiguration job, Type type, JsonSerializationContext context) {
        JsonObject json = new JsonObject();
        json.addProperty("jobName", job.jobName());
        json.addProperty("shardingTotalCount", job.shardingTotalCount());
        if (job.scope() != Scope.SHARDED) {
            json.addProperty(SCOPE, job.scope().name());
        }
        json.add("schedule", context.serialize(job.schedule(), Schedule.class));
        JsonObject parameters = new JsonObject();
        job.shardingItemParameters().forEach((item, value) -> parameters.addProperty(item.toString(), value));
        json.add("shardingItemParameters", parameters);
        json.addProperty("jobParameter", job.jobParameter());
        json.addProperty("description", job.description());
        json.addProperty("failover", job.failover());
        json.addProperty("maxAttempts", job.maxAttempts());
        json.add("misfire", context.serialize(job.misfire(), MisfirePolicy.class));
        job.misfireThreshold().ifPresent(value -> json.addProperty(MISFIRE_THRESHOLD, value.toString()));
        job.catchUpWindow().ifPresent(value -> json.addProperty(CATCH_UP_WINDOW, value.toString()));
        json.add("overlap", context.serialize(job.overlap(), OverlapPolicy.class));
        job.timeout().ifPresent(value -> json.addProperty(TIMEOUT, value.toString()));
        if (!job.retry().equals(RetryPolicy.none())) {
            json.add(RETRY, context.serialize(job.retry()));
        }
        if (job.quarantineAfter() > 0) {
            json.addProperty(QUARANTINE_AFTER, job.quarantineAfter());
        }
        if (job.concurrency() > 0) {
            json.addProperty(CONCURRENCY, job.concurrency());
        }
        json.addProperty("sessionLoss", job.sessionLoss().name());
        json.addProperty("shutdownGrace", job.shutdownGrace().toString());
        json.addProperty("shardingStrategy", job.shardingStrategy());
        if (!job.errorHandler().equals(JobConfiguration.DEFAULT_ERROR_HANDLER)) {
            json.addProperty(ERROR_HANDLER, job.errorHandler());
        }
        job.requiredInstances().ifPresent(match -> json.addProperty(REQUIRED_INSTANCES, match.toString()));
        job.preferredInstances().ifPresent(match -> json.addProperty(PREFERRED_INSTANCES, match.toString()));
        if (job.maxItemsPerInstance() > 0) {
            json.addProperty(MAX_ITEMS_PER_INSTANCE, job.maxItemsPerInstance());
        }
        job.antiAffinity().ifPresent(other -> json.addProperty(ANTI_AFFINITY, other));
        if (job.staticSharding()) {
            json.addProperty(STATIC_SHARDING, true);
        }
        if (!job.restartGrace().isZero()) {
            json.addProperty(RESTART_GRACE, job.restartGrace().toString());
        }
        json.addProperty(PAUSED, job.paused());
        json.addProperty("streaming", job.streaming());
        if (job.onceListeners()) {
            json.addProperty(ONCE_LISTENERS, true);
        }
        json.addProperty("fenceEpoch", job.fenceEpoch());
        json.addProperty("revision", job.revision());
        return json;
    }

    @Override
    public JobConfiguration deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        return JobConfiguration.newBuilder(
                        Values.part(json, "jobName", String.class),
                        Values.part(json, "shardingTotalCount", Integer.class))
                .scope(optional(json, SCOPE, Scope.class, Scope.SHARDED))
                .schedule(Values.part(json, "schedule", Schedule.class))
                .shardingItemParameters(Values.part(json, "shardingItemParameters", PARAMETERS))
                .jobParameter(Values.part(json, "jobParameter", String.class))
                .description(Values.part(json, "description", String.class))
                .failover(Values.part(json, "failover", Boolean.class))
                .maxAttempts(Values.part(json, "maxAttempts", Integer.class))
                .misfire(Values.part(json, "misfire", MisfirePolicy.class))
                .misfireThreshold(Values.optional(json, MISFIRE_THRESHOLD, Duration.class))
                .catchUpWindow(Values.optional(json, CATCH_UP_WINDOW, Duration.class))
                .overlap(Values.part(json, "overlap", OverlapPolicy.class))
                .timeout(Values.optional(json, TIMEOUT, Duration.class))
                .retry(optional(json, RETRY, RetryPolicy.class, RetryPolicy.none()))
                .quarantineAfter(optional(json, QUARANTINE_AFTER, Integer.class, 0))
                .concurrency(optional(json, CONCURRENCY, Integer.class, 0))
                .sessionLoss(Values.part(json, "sessionLoss", SessionLossPolicy.class))
                .shutdownGrace(Values.part(json, "shutdownGrace", Duration.class))
                .shardingStrategy(Values.part(json, "shardingStrategy", String.class))
                .errorHandler(optional(json, ERROR_HANDLER, String.class, JobConfiguration.DEFAULT_ERROR_HANDLER))
                .requiredInstances(optional(json, REQUIRED_INSTANCES, String.class, ""))
                .preferredInstances(optional(json, PREFERRED_INSTANCES, String.class, ""))
                .maxItemsPerInstance(optional(json, MAX_ITEMS_PER_INSTANCE, Integer.class, 0))
                .antiAffinity(Values.optional(json, ANTI_AFFINITY, String.class))
                .staticSharding(optional(json, STATIC_SHARDING, Boolean.class, false))
                .restartGrace(optional(json, RESTART_GRACE, Duration.class, Duration.ZERO))
                .paused(optional(json, PAUSED, Boolean.class, false))
                .streaming(Values.part(json, "streaming", Boolean.class))
                .onceListeners(optional(json, ONCE_LISTENERS, Boolean.class, false))
                .fenceEpoch(Values.part(json, "fenceEpoch", Integer.class))
                .revision(Values.part(json, "revision", Long.class))
                .build();
    }

    private static <T> T optional(JsonObject json, String field, Class<T> type, T unset) {
        return Objects.requireNonNullElse(Values.optional(json, field, type), unset);
    }
}
