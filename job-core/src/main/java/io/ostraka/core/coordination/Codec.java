package io.ostraka.core.coordination;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ShardingPlan;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The form of every node: one JSON object with a format number. Reading is bounded in size and depth before anything is
 * made of it, makes fixed types only (nothing in a node ever chooses a class), and takes no value for granted: what is
 * missing is refused here and not where it is used. Fields that this version doesn't know are kept apart and written back.
 */
final class Codec {
    private static final int FORMAT = 1;
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_DEPTH = 32;
    private static final int MOST_SHOWN = 200;
    /** The last time that counts: arithmetic beyond it could overflow. */
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private static final int MAX_UNZIPPED_BYTES = 1 << 24;
    private static final int PLAIN_JOBS_BYTES = 64 << 10;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})-(\\d{1,6})");
    private static final Gson PLAIN = base().create();
    private static final Gson GSON = base().registerTypeAdapter(JobConfiguration.class, new ConfigurationForm())
            .registerTypeAdapter(ShardingPlan.class, new PlanForm())
            .registerTypeAdapter(InstanceInfo.class, new InstanceForm())
            .create();

    private Codec() {}

    private static GsonBuilder base() {
        return new GsonBuilder()
                .disableHtmlEscaping()
                .setStrictness(Strictness.STRICT)
                .registerTypeAdapter(Instant.class, new TextForm<>(Instant::parse))
                .registerTypeAdapter(Duration.class, new TextForm<>(Duration::parse))
                .registerTypeHierarchyAdapter(ZoneId.class, new TextForm<>(ZoneId::of))
                .registerTypeAdapter(
                        Schedule.class,
                        new Choice<Schedule>(Map.of(
                                "cron", Schedule.Cron.class,
                                "fixedRate", Schedule.FixedRate.class,
                                "onDemand", Schedule.OnDemand.class)))
                .registerTypeAdapter(
                        MisfirePolicy.class,
                        new Choice<MisfirePolicy>(Map.of(
                                "fireOnce", MisfirePolicy.FireOnce.class,
                                "skip", MisfirePolicy.Skip.class,
                                "fireAll", MisfirePolicy.FireAll.class)))
                .registerTypeAdapter(
                        OverlapPolicy.class,
                        new Choice<OverlapPolicy>(Map.of(
                                "skip", OverlapPolicy.Skip.class,
                                "coalesce", OverlapPolicy.Coalesce.class,
                                "queue", OverlapPolicy.Queue.class)));
    }

    /** Writes a value, with what an earlier reader found beside it. */
    static byte[] encode(Object value, JsonObject unknown) {
        JsonObject json = unknown.deepCopy();
        json.addProperty("format", FORMAT);
        GSON.toJsonTree(value).getAsJsonObject().asMap().forEach(json::add);
        return GSON.toJson(json).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] encode(Object value) {
        return encode(value, new JsonObject());
    }

    /**
     * Reads a node.
     *
     * @throws Unreadable saying what is wrong with it, whatever it holds
     */
    static <T> Versioned<T> decode(Node node, Class<T> type) {
        if (node.data().length > MAX_BYTES) {
            throw new Unreadable(node, type, "it holds " + node.data().length + " bytes; accepted: " + MAX_BYTES);
        }
        try {
            JsonReader reader = new JsonReader(new StringReader(new String(node.data(), StandardCharsets.UTF_8)));
            reader.setStrictness(Strictness.STRICT);
            reader.setNestingLimit(MAX_DEPTH);
            JsonObject json = GSON.fromJson(reader, JsonObject.class);
            if (json == null) {
                throw new JsonParseException("it is empty");
            }
            requireFormat(node, type, json);
            T value = GSON.fromJson(json, type);
            requireComplete(value);
            fields(type).forEach(json::remove); // what is left is none of ours, and is written back
            return new Versioned<>(value, node.version(), node.czxid(), node.mzxid(), node.modified(), json);
        } catch (Unreadable e) {
            throw e;
        } catch (RuntimeException e) {
            // Gson reports garbage with many types, those of our own constructors among them; all mean the same here
            throw new Unreadable(node, type, printable(reason(e)));
        }
    }

    /** The fields of a kind of node that this version knows: they are written anew, or left out, whatever was read. */
    private static Stream<String> fields(Class<?> type) {
        Stream<String> ofType = type == JobConfiguration.class
                ? ConfigurationForm.fields()
                : Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName);
        return Stream.concat(ofType, Stream.of("format", "jobsGzip"));
    }

    /** What is wrong in the words of whoever refused it, which is mostly one of our own constructors. */
    private static String reason(RuntimeException e) {
        Throwable told = e;
        while (told.getCause() != null) {
            told = told.getCause();
        }
        String message = String.valueOf(told.getMessage());
        if (!(told instanceof NullPointerException)) {
            return message;
        }
        boolean named = message.matches("[A-Za-z]+"); // by one of our constructors
        return (named ? message : "a value") + " is missing, or none of the values there are";
    }

    private static void requireFormat(Node node, Class<?> type, JsonObject json) {
        JsonElement format = json.get("format");
        if (format == null
                || !format.isJsonPrimitive()
                || !format.getAsJsonPrimitive().isNumber()) {
            throw new JsonParseException("its format is " + format + "; accepted: " + FORMAT);
        }
        int number = format.getAsInt();
        if (number > FORMAT) {
            throw new Unreadable(
                    node,
                    type,
                    "its format is " + number + ", and this version reads up to " + FORMAT + "; upgrade this instance",
                    true);
        }
        if (number != FORMAT) {
            throw new JsonParseException("its format is " + number + "; accepted: " + FORMAT);
        }
    }

    /** Gson leaves what is missing null: in a record that is right only where the component says so. */
    private static void requireComplete(@Nullable Object value) {
        if (value instanceof Instant instant && (instant.isBefore(Instant.EPOCH) || instant.isAfter(LAST))) {
            throw new JsonParseException("a time is " + instant + "; accepted: " + Instant.EPOCH + " to " + LAST);
        }
        if (value instanceof Record entity) {
            for (RecordComponent component : entity.getClass().getRecordComponents()) {
                Object part = get(component, entity);
                if (part == null && !component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    throw new JsonParseException(component.getName() + " is missing, or none of the values there are");
                }
                requireComplete(part);
            }
        } else if (value instanceof Collection<?> all) {
            all.forEach(Codec::requireElement);
        } else if (value instanceof Map<?, ?> all) {
            all.keySet().forEach(Codec::requireElement);
            all.values().forEach(Codec::requireElement);
        }
    }

    private static void requireElement(@Nullable Object element) {
        if (element == null) {
            throw new JsonParseException("an element is null");
        }
        requireComplete(element);
    }

    private static @Nullable Object get(RecordComponent component, Record entity) {
        try {
            return component.getAccessor().invoke(entity);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the records of nodes are public", e);
        }
    }

    /** Bounds the length and drops control characters, so that what a node holds can't forge log lines. */
    private static String printable(String text) {
        String shown = text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text;
        return shown.replaceAll("\\p{Cntrl}", "?");
    }

    /** A node whose data is none of ours. */
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Node node;
        private final boolean newer;

        private Unreadable(Node node, Class<?> type, String why) {
            this(node, type, why, false);
        }

        private Unreadable(Node node, Class<?> type, String why, boolean newer) {
            super(node.path() + " can't be read as " + type.getSimpleName() + ": " + why, null, false, false);
            this.node = node;
            this.newer = newer;
        }

        /** Returns what is to be said of it, and which version it has. */
        Damage damage() {
            return new Damage(String.valueOf(getMessage()), node.version(), newer);
        }
    }

    /** A value that has a text form. */
    private record TextForm<T>(Function<String, T> parse) implements JsonSerializer<T>, JsonDeserializer<T> {
        @Override
        public JsonElement serialize(T value, Type type, JsonSerializationContext context) {
            return new JsonPrimitive(value.toString());
        }

        @Override
        public T deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            return parse.apply(json.getAsString());
        }
    }

    /** One of several records, named by a field. */
    private record Choice<T>(Map<String, Class<? extends T>> kinds) implements JsonSerializer<T>, JsonDeserializer<T> {
        @Override
        public JsonElement serialize(T value, Type type, JsonSerializationContext context) {
            JsonObject json = PLAIN.toJsonTree(value, value.getClass()).getAsJsonObject();
            kinds.forEach((name, kind) -> {
                if (kind.isInstance(value)) {
                    json.addProperty("type", name);
                }
            });
            return json;
        }

        @Override
        public T deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            String name = json.getAsJsonObject().get("type").getAsString();
            Class<? extends T> kind = kinds.get(name);
            if (kind == null) {
                throw new JsonParseException(
                        "type is '" + name + "'; accepted: " + new TreeMap<>(kinds).navigableKeySet());
            }
            return PLAIN.fromJson(json, (Type) kind);
        }
    }

    private static final class ConfigurationForm
            implements JsonSerializer<JobConfiguration>, JsonDeserializer<JobConfiguration> {
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

        /** Returns all fields that a definition may have. */
        static Stream<String> fields() {
            return Stream.concat(REQUIRED.stream(), Stream.of("misfireThreshold", "paused"));
        }

        @Override
        public JsonElement serialize(JobConfiguration job, Type type, JsonSerializationContext context) {
            JsonObject json = new JsonObject();
            json.addProperty("jobName", job.jobName());
            json.addProperty("shardingTotalCount", job.shardingTotalCount());
            json.add("schedule", context.serialize(job.schedule(), Schedule.class));
            JsonObject parameters = new JsonObject();
            job.shardingItemParameters().forEach((item, value) -> parameters.addProperty(item.toString(), value));
            json.add("shardingItemParameters", parameters);
            json.addProperty("jobParameter", job.jobParameter());
            json.addProperty("description", job.description());
            json.addProperty("failover", job.failover());
            json.addProperty("maxAttempts", job.maxAttempts());
            json.add("misfire", context.serialize(job.misfire(), MisfirePolicy.class));
            job.misfireThreshold().ifPresent(value -> json.addProperty("misfireThreshold", value.toString()));
            json.add("overlap", context.serialize(job.overlap(), OverlapPolicy.class));
            json.addProperty("sessionLoss", job.sessionLoss().name());
            json.addProperty("shutdownGrace", job.shutdownGrace().toString());
            json.addProperty("shardingStrategy", job.shardingStrategy());
            json.addProperty("paused", job.paused());
            json.addProperty("streaming", job.streaming());
            json.addProperty("fenceEpoch", job.fenceEpoch());
            json.addProperty("revision", job.revision());
            return json;
        }

        @Override
        public JobConfiguration deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
            JsonObject json = element.getAsJsonObject();
            for (String field : REQUIRED) {
                if (!json.has(field)) {
                    throw new JsonParseException(field + " is missing");
                }
            }
            Map<Integer, String> parameters = new TreeMap<>();
            json.getAsJsonObject("shardingItemParameters")
                    .asMap()
                    .forEach((item, value) -> parameters.put(Integer.parseInt(item), value.getAsString()));
            JsonElement threshold = json.get("misfireThreshold");
            JsonElement paused = json.get("paused"); // not there in definitions of before
            return JobConfiguration.newBuilder(
                            json.get("jobName").getAsString(),
                            json.get("shardingTotalCount").getAsInt())
                    .schedule(context.deserialize(json.get("schedule"), Schedule.class))
                    .shardingItemParameters(parameters)
                    .jobParameter(json.get("jobParameter").getAsString())
                    .description(json.get("description").getAsString())
                    .failover(json.get("failover").getAsBoolean())
                    .maxAttempts(json.get("maxAttempts").getAsInt())
                    .misfire(context.deserialize(json.get("misfire"), MisfirePolicy.class))
                    .misfireThreshold(threshold == null ? null : Duration.parse(threshold.getAsString()))
                    .overlap(context.deserialize(json.get("overlap"), OverlapPolicy.class))
                    .sessionLoss(
                            SessionLossPolicy.valueOf(json.get("sessionLoss").getAsString()))
                    .shutdownGrace(Duration.parse(json.get("shutdownGrace").getAsString()))
                    .shardingStrategy(json.get("shardingStrategy").getAsString())
                    .paused(paused != null && paused.getAsBoolean())
                    .streaming(json.get("streaming").getAsBoolean())
                    .fenceEpoch(json.get("fenceEpoch").getAsInt())
                    .revision(json.get("revision").getAsLong())
                    .build();
        }
    }

    /** Item keys of a plan as ranges, {@code 0-3,7}: a plan of many items stays small. */
    private static final class PlanForm implements JsonSerializer<ShardingPlan>, JsonDeserializer<ShardingPlan> {
        @Override
        public JsonElement serialize(ShardingPlan plan, Type type, JsonSerializationContext context) {
            JsonObject json = PLAIN.toJsonTree(plan.withItems(Map.of())).getAsJsonObject();
            JsonObject items = new JsonObject();
            plan.items().forEach((instance, keys) -> items.addProperty(instance, ranges(keys)));
            json.add("items", items);
            return json;
        }

        @Override
        public ShardingPlan deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
            JsonObject json = element.getAsJsonObject().deepCopy();
            Map<String, List<String>> items = new TreeMap<>();
            json.getAsJsonObject("items")
                    .asMap()
                    .forEach((instance, keys) -> items.put(instance, keys(keys.getAsString())));
            json.add("items", new JsonObject());
            return PLAIN.fromJson(json, ShardingPlan.class).withItems(items);
        }

        private static String ranges(List<String> keys) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < keys.size(); ) {
                int end = i;
                while (end + 1 < keys.size() && follows(keys.get(end), keys.get(end + 1))) {
                    end++;
                }
                text.append(i == 0 ? "" : ",").append(keys.get(i));
                if (end > i) {
                    text.append('-').append(keys.get(end));
                }
                i = end + 1;
            }
            return text.toString();
        }

        private static boolean follows(String first, String second) {
            return first.matches("\\d{1,6}")
                    && second.matches("\\d{1,6}")
                    && Integer.parseInt(first) + 1 == Integer.parseInt(second);
        }

        private static List<String> keys(String ranges) {
            List<String> keys = new ArrayList<>();
            for (String part : ranges.isEmpty() ? new String[0] : ranges.split(",", -1)) {
                Matcher range = RANGE.matcher(part);
                if (range.matches()) {
                    IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                            .forEach(item -> keys.add(Integer.toString(item)));
                } else {
                    keys.add(part);
                }
                if (keys.size() > JobConfiguration.MAX_ITEMS) {
                    throw new JsonParseException("more than " + JobConfiguration.MAX_ITEMS + " items");
                }
            }
            return keys;
        }
    }

    /** Job names in plain as long as they are few, compressed beyond. */
    private static final class InstanceForm implements JsonSerializer<InstanceInfo>, JsonDeserializer<InstanceInfo> {
        @Override
        public JsonElement serialize(InstanceInfo instance, Type type, JsonSerializationContext context) {
            JsonObject json = PLAIN.toJsonTree(instance).getAsJsonObject();
            String jobs = json.get("jobs").toString();
            if (jobs.length() > PLAIN_JOBS_BYTES) {
                json.add("jobs", new JsonArray());
                json.addProperty("jobsGzip", gzip(jobs));
            }
            return json;
        }

        @Override
        public InstanceInfo deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
            JsonObject json = element.getAsJsonObject();
            if (json.has("jobsGzip")) {
                json = json.deepCopy();
                json.add("jobs", PLAIN.fromJson(gunzip(json.remove("jobsGzip").getAsString()), JsonArray.class));
            }
            return PLAIN.fromJson(json, InstanceInfo.class);
        }

        private static String gzip(String text) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
                gzip.write(text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return Base64.getEncoder().encodeToString(bytes.toByteArray());
        }

        private static String gunzip(String packed) {
            try (GZIPInputStream gzip = new GZIPInputStream(
                    new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
                byte[] bytes = gzip.readNBytes(MAX_UNZIPPED_BYTES);
                if (gzip.read() >= 0) {
                    throw new JsonParseException("jobsGzip unpacks to more than " + MAX_UNZIPPED_BYTES + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new JsonParseException("jobsGzip can't be unpacked", e);
            }
        }
    }
}
