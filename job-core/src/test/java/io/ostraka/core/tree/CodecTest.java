package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.Exclusions;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.JobInstance;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is read completely or rejected with a reason, never in part. */
@Tag("smoke")
class CodecTest {
    private static final String PLAN =
            "{\"format\":4,\"total\":2,\"scope\":\"SHARDED\",\"former\":[],\"incarnation\":1,\"configMzxid\":1,\"overrideMzxid\":0,"
                    + "\"fenceEpoch\":0,\"schedule\":{\"type\":\"onDemand\"},\"since\":\"2026-01-01T00:00:00Z\",\"anchor\":\"2026-01-01T00:00:00Z\","
                    + "\"generation\":1,\"items\":{\"a@1@1\":\"0-1\"}}";
    private static final Schedule EVERYTHING = Schedule.cron("0 0 9 * * ?", ZoneId.of("Europe/Berlin"))
            .startingAt(Instant.parse("2026-01-01T00:00:00Z"))
            .endingAt(Instant.parse("2027-01-01T00:00:00Z"))
            .excluding(Exclusions.in(ZoneId.of("Asia/Kolkata"))
                    .weekdays(DayOfWeek.SUNDAY)
                    .dates(LocalDate.of(2026, 12, 25))
                    .yearly(MonthDay.of(2, 29))
                    .monthly(31)
                    .cron("* 0-29 12 ? * MON-FRI")
                    .daily(LocalTime.of(22, 0), LocalTime.of(6, 30)))
            .jitter(Duration.ofSeconds(90));
    private static final String CONFIGURATION = new String(
            Codec.encode(definition(
                    JobConfiguration.newBuilder("job", 2).schedule(EVERYTHING).catchUpWindow(Duration.ofHours(1)))),
            StandardCharsets.UTF_8);
    private static final String RECORD = "{\"format\":4,\"state\":\"IDLE\",\"cursor\":\"2026-01-01T00:00:00Z\","
            + "\"triggerCursor\":0,\"incarnation\":1,\"consecutiveFailures\":0,\"skipped\":[],"
            + "\"opened\":{\"incarnation\":1,\"cursor\":\"2026-01-01T00:00:00Z\"}}";
    private static final String TRIGGER =
            "{\"format\":4,\"job\":\"job\",\"runId\":\"run\",\"parameters\":{},\"items\":[],\"total\":0}";

    /** Names that a message may leave out because it contains the value instead: types, items and owners. */
    private static final Pattern NAMELESS = Pattern.compile("type|\\d+|.*@.*");

    private static Definition definition(JobConfiguration.Builder job) {
        return new Definition(job.build(), false);
    }

    private static String trigger(String field) {
        return TRIGGER.substring(0, TRIGGER.length() - 1) + "," + field + "}";
    }

    private static String delayed(String key) {
        return "{\"format\":4,\"key\":\"" + key + "\",\"delay\":\"PT5S\",\"request\":" + TRIGGER + "}";
    }

    private static String override(String fields) {
        return "{\"format\":4," + fields + "}";
    }

    private static String origin(String by, String year) {
        return "{\"by\":\"" + by + "\",\"reason\":\"\",\"at\":\"" + year + "-01-01T00:00:00Z\"}";
    }

    private static Node node(String text) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        return new Node("/some/node", data, new Node.Stat(7, 1, 2, Instant.EPOCH, Instant.EPOCH, 0));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(
                        ShardingPlan.class, PLAN.replace("\"total\":2", "\"total\":2000000000"), "total is 2000000000"),
                Arguments.of(ShardingPlan.class, PLAN.replace("\"total\":2", "\"total\":-1"), "total is -1"),
                Arguments.of(ShardingPlan.class, PLAN.replace("0-1", "0,../x"), "item is '../x'"),
                Arguments.of(ShardingPlan.class, PLAN.replace("0-1", "0-999999"), "items"),
                Arguments.of(ShardingPlan.class, PLAN.replace("\"since\":\"2026", "\"since\":\"-999999"), "a time is"),
                Arguments.of(
                        ShardingPlan.class,
                        PLAN.replace("\"schedule\":{\"type\":\"onDemand\"},", ""),
                        "schedule is missing"),
                Arguments.of(
                        ShardingPlan.class,
                        PLAN.replace("\"generation\"", "\"former\":[{\"schedule\":\"x\"}],\"generation\""),
                        "anchor is missing"),
                Arguments.of(
                        ShardingPlan.class,
                        PLAN.replace("\"fenceEpoch\":0", "\"fenceEpoch\":99999"),
                        "fenceEpoch is 99999"),
                Arguments.of(ItemRecord.class, RECORD.replace("IDLE", "RUNNING"), "without a run"),
                Arguments.of(ItemRecord.class, RECORD.replace("IDLE", "SLEEPING"), "state"),
                Arguments.of(Trigger.Request.class, TRIGGER.replace("run\"", "../../x\""), "runId is '../../x'"),
                Arguments.of(Trigger.Request.class, TRIGGER.replace("[]", "[null]"), "missing"),
                Arguments.of(
                        Trigger.Request.class, trigger("\"by\":\"" + "x".repeat(129) + "\""), "by has 129 characters"),
                Arguments.of(
                        Trigger.Request.class, trigger("\"reason\":\"a\\nb\""), "none of them a control character"),
                Arguments.of(Trigger.Request.class, trigger("\"total\":-1"), "total is -1"),
                Arguments.of(
                        Trigger.Request.class, trigger("\"fireTime\":\"1969-12-31T00:00:00Z\""), "fireTime is 1969"),
                Arguments.of(DelayedTrigger.class, delayed("x").replace("PT5S", "PT-1S"), "trigger delay is PT-1S"),
                Arguments.of(DelayedTrigger.class, delayed("").replace("\"key\":\"\",", ""), "missing"),
                Arguments.of(DelayedTrigger.class, delayed(""), "trigger key has 0 characters"),
                Arguments.of(DelayedTrigger.class, delayed("x".repeat(257)), "trigger key has 257 characters"),
                Arguments.of(DelayedTrigger.class, delayed("x").replace("PT5S", "soon"), "delay is"),
                Arguments.of(DelayedTrigger.class, delayed("x").replace("\"run\"", "\"../x\""), "runId is '../x'"),
                Arguments.of(JobOverride.class, "{\"format\":4,\"disabledItems\":null}", "missing"),
                Arguments.of(
                        JobOverride.class,
                        "{\"format\":4,\"disabledItems\":[],\"disabledInstances\":[\"a/b\"]}",
                        "disabledInstances is 'a/b'"),
                Arguments.of(
                        JobOverride.class,
                        "{\"format\":4,\"disabledItems\":[],\"disabledInstances\":[null]}",
                        "missing"),
                Arguments.of(
                        JobOverride.class, "{\"format\":4,\"disabledItems\":[],\"disabledInstances\":null}", "missing"),
                Arguments.of(JobOverride.class, override("\"timeout\":\"x\""), "timeout is \"x\""),
                Arguments.of(JobOverride.class, override("\"concurrency\":\"a\""), "concurrency is"),
                Arguments.of(JobOverride.class, override("\"changes\":[]"), "changes is"),
                Arguments.of(JobOverride.class, override("\"changes\":{\"paused\":1}"), "changes.paused is"),
                Arguments.of(JobOverride.class, override("\"paused\":true,\"changes\":{\"paused\":{}}"), "missing"),
                Arguments.of(
                        JobOverride.class,
                        override("\"changes\":{\"paused\":" + origin("b".repeat(129), "2026") + "}"),
                        "by has 129 characters"),
                Arguments.of(
                        JobOverride.class,
                        override("\"paused\":true,\"changes\":{\"paused\":" + origin("b", "1926") + "}"),
                        "a time is"),
                Arguments.of(JobOverride.class, override("\"skipTo\":\"1926-01-01T00:00:00Z\""), "a time is"),
                Arguments.of(JobOverride.class, override("\"requests\":[1,null]"), "requests"),
                Arguments.of(Definition.class, "{\"format\":4,\"jobName\":\"x\"}", "shardingTotalCount is missing"),
                Arguments.of(
                        Definition.class, CONFIGURATION.replace("\"bounded\"", "\"java.lang.Runtime\""), "accepted"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replaceFirst("\"base\":\\{.*?}", "\"base\":{\"type\":\"onDemand\"}"),
                        "schedule within bounds is"),
                Arguments.of(Definition.class, CONFIGURATION.replaceFirst("\"base\":\\{.*?},", ""), "base is missing"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"cron\",\"expression\":\"* * * * * ?\"}"),
                        "zone is missing"),
                Arguments.of(Definition.class, CONFIGURATION.replace("\"2027-", "\"+99999-"), "end is"),
                Arguments.of(
                        Definition.class, CONFIGURATION.replace("\"monthly\":[31]", "\"monthly\":[0]"), "from 1 to 31"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"* 0-29 12 ? * MON-FRI\"", "\"\""),
                        "none of them blank"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"weekdays\":[\"SUNDAY\"],", ""),
                        "schedule.excluded.weekdays is missing"),
                Arguments.of(Definition.class, CONFIGURATION.replace("\"2027-", "\"2025-"), "end is"),
                Arguments.of(Definition.class, CONFIGURATION.replace("PT1M30S", "PT-1S"), "jitter is PT-1S"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"jitter\":\"PT1M30S\"", "\"x\":1"),
                        "jitter is missing"),
                Arguments.of(Definition.class, CONFIGURATION.replace("\"SUNDAY\"", "\"NODAY\""), "one of [MONDAY"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"2026-12-25\"", "\"2026-02-30\""),
                        "schedule.excluded.dates[0] is \"2026-02-30\"; accepted: a date"),
                Arguments.of(Definition.class, CONFIGURATION.replace("\"2026-12-25\"", "null"), "missing"),
                Arguments.of(Definition.class, CONFIGURATION.replace("Asia/Kolkata", "../x"), "../x"),
                Arguments.of(Definition.class, CONFIGURATION.replace("22:00", "06:30"), "excluded window is"),
                Arguments.of(Definition.class, CONFIGURATION.replace("PT1H", "PT0S"), "catchUpWindow is 'PT0S'"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"fixedDelay\",\"delay\":\"PT0S\"}"),
                        "fixed delay is PT0S"),
                Arguments.of(Definition.class, schedule("{\"type\":\"fixedDelay\"}"), "missing"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"adaptive\",\"base\":\"PT1S\",\"bound\":0}"),
                        "adaptive bound is 0"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"adaptive\",\"base\":\"P30000D\",\"bound\":2}"),
                        "adaptive bound is 2"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"continuous\",\"idle\":\"PT0.0001S\"}"),
                        "continuous idle pause is PT0.0001S"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"once\",\"at\":\"1969-12-31T00:00:00Z\"}"),
                        "once is 1969"),
                Arguments.of(
                        Definition.class,
                        schedule("{\"type\":\"sometimes\"}"),
                        "schedule is \"sometimes\"; accepted: a type, one of [adaptive, bounded"),
                Arguments.of(Definition.class, schedule("7"), "schedule is 7; accepted: an object with a type"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"shardingTotalCount\":2", "\"shardingTotalCount\":1.5"),
                        "shardingTotalCount is 1.5; accepted: a whole number"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"shardingTotalCount\":2", "\"shardingTotalCount\":4294967298"),
                        "shardingTotalCount is 4294967298; accepted: a whole number"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"failover\":true", "\"failover\":\"yes\""),
                        "failover is \"yes\"; accepted: true, false"),
                Arguments.of(
                        ItemRecord.class,
                        RECORD.replace("2026-01-01T00:00:00Z", "yesterday"),
                        "cursor is \"yesterday\"; accepted: a time"),
                Arguments.of(ItemRecord.class, "[1]", "no JSON object"),
                Arguments.of(ItemRecord.class, "\"foo\"", "no JSON object"),
                Arguments.of(ItemRecord.class, "{\"format\":4,", "malformed JSON at line 1 column 13"),
                Arguments.of(ItemRecord.class, "[".repeat(40), "nested more than 32 levels deep"),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"revision\"", "\"requiredInstances\":\"gpu &\",\"revision\""),
                        "requiredInstances is \"gpu &\""),
                Arguments.of(
                        Definition.class,
                        CONFIGURATION.replace("\"revision\"", "\"antiAffinity\":\"../x\",\"revision\""),
                        "antiAffinity is '../x'"),
                Arguments.of(JobOverride.class, "{}", "format is null"),
                Arguments.of(JobOverride.class, "{\"format\":\"1\"}", "format"),
                Arguments.of(
                        FireProgress.class,
                        "{\"format\":4,\"trigger\":\"t/x\",\"left\":[],\"outcomes\":{}}",
                        "trigger is 't/x'"),
                Arguments.of(InstanceInfo.class, "{\"format\":4,\"jobsGzip\":\"!\"}", "base64"));
    }

    private static String schedule(String json) {
        return new String(Codec.encode(definition(JobConfiguration.newBuilder("job", 2))), StandardCharsets.UTF_8)
                .replace("{\"type\":\"onDemand\"}", json);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void rejectsInvalidValueWithReason(Class<?> type, String text, String reason) {
        Codec.Unreadable refusal = catchThrowableOfType(Codec.Unreadable.class, () -> Codec.decode(node(text), type));
        assertThat(refusal).isNotNull();
        assertThat(refusal.damage().text()).contains("/some/node", type.getSimpleName(), reason);
        assertThat(refusal.damage().version()).isEqualTo(7);
        assertThat(refusal.damage().replaceable()).isTrue();
    }

    @Test
    void rejectionMessageIsShortAndHasNoLineBreaks() {
        String hostile = TRIGGER.replace("run\"", "x\\nERROR all is lost" + "x".repeat(5_000) + "\"");
        Codec.Unreadable refusal =
                catchThrowableOfType(Codec.Unreadable.class, () -> Codec.decode(node(hostile), Trigger.Request.class));
        assertThat(refusal.damage().text()).hasSizeLessThan(400).doesNotContain("\n");
    }

    /** Changes single characters at random; each node must be read or rejected. */
    @Tag("slow")
    @Test
    void nodeWithRandomCharactersIsReadOrRejected() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Class<?>> all = Map.of(
                PLAN,
                ShardingPlan.class,
                CONFIGURATION,
                Definition.class,
                RECORD,
                ItemRecord.class,
                TRIGGER,
                Trigger.Request.class);
        String letters = "{}[]\",:0-9eE.\\ax\u0000\uFFFF/";
        for (int i = 0; i < 3_000; i++) {
            for (Map.Entry<String, Class<?>> entry : all.entrySet()) {
                StringBuilder text = new StringBuilder(entry.getKey());
                for (int change = random.nextInt(1, 4); change > 0; change--) {
                    text.setCharAt(random.nextInt(text.length()), letters.charAt(random.nextInt(letters.length())));
                }
                try {
                    Codec.decode(node(text.toString()), entry.getValue());
                } catch (Codec.Unreadable refused) {
                    assertThat(refused.damage().text())
                            .as("seed %s", seed)
                            .isNotBlank()
                            .doesNotContain("BEGIN_", "setStrictness", "For input", "No enum", "com.google");
                } catch (RuntimeException other) {
                    throw new AssertionError("seed " + seed + ", " + text, other);
                }
            }
        }
    }

    /** Replaces each value by a value of a different type. The message must name the field. */
    @ParameterizedTest
    @MethodSource("values")
    void rejectionNamesFieldOfWrongKind(Object value) {
        JsonObject right = JsonParser.parseString(new String(Codec.encode(value), StandardCharsets.UTF_8))
                .getAsJsonObject();
        right.remove("format");
        for (String field : List.copyOf(right.keySet())) {
            everyKindInsteadOf(right, right, field, value.getClass());
        }
    }

    private static void everyKindInsteadOf(JsonObject whole, JsonObject parent, String field, Class<?> type) {
        JsonElement before = parent.get(field);
        if (before.isJsonObject()) {
            for (String part : List.copyOf(before.getAsJsonObject().keySet())) {
                everyKindInsteadOf(whole, before.getAsJsonObject(), part, type);
            }
        }
        for (String wrong : List.of("null", "1.5", "true", "99999999999999999999", "\"?\"", "[7]", "{}", "[{}]")) {
            parent.add(field, JsonParser.parseString(wrong));
            JsonObject written = whole.deepCopy();
            written.addProperty("format", Codec.FORMAT);
            try {
                Codec.decode(node(written.toString()), type);
            } catch (Codec.Unreadable refused) {
                assertThat(refused.damage().text())
                        .as("%s as %s", field, wrong)
                        .doesNotContain(
                                "Expected", "BEGIN_", "STRING", "For input", "parsed", "enum", "java", "google", "Json")
                        .matches(
                                text -> NAMELESS.matcher(field).matches()
                                        || wrong.equals("[{}]")
                                        || text.contains(field.equals("crons") ? "cron" : field),
                                "names the field");
            }
        }
        parent.add(field, before);
    }

    /** Returns a definition with a non-default value in every field. */
    private static JobConfiguration.Builder full() {
        return JobConfiguration.newBuilder("job", 2)
                .schedule(EVERYTHING)
                .shardingItemParameters("0=a,1=b")
                .jobParameter("parameter")
                .description("what it is for")
                .labels(Map.of("owner", "payments", "runbook", "https://example.org/settle?a=b"))
                .paused(true)
                .pauseReason("until the migration of the ledger ends")
                .streaming(true)
                .fenceEpoch(1)
                .revision(2)
                .shardingStrategy("ODD_EVEN")
                .requiredInstances("gpu & !batch")
                .preferredInstances("zone=eu | rack=\"row 3\"")
                .maxItemsPerInstance(2)
                .antiAffinity("another")
                .staticSharding(true)
                .restartGrace(Duration.ofSeconds(90))
                .concurrency(1)
                .timeout(Duration.ofMinutes(5))
                .maxAttempts(4)
                .quarantineAfter(5)
                .shutdownGrace(Duration.ofSeconds(20))
                .misfire(MisfirePolicy.fireAll(10))
                .misfireThreshold(Duration.ofMinutes(1))
                .catchUpWindow(Duration.ofHours(1))
                .overlap(OverlapPolicy.queue(2))
                .retry(RetryPolicy.attempts(2))
                .failover(false)
                .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                .history(HistoryLevel.slow(Duration.ofSeconds(10)))
                .alarms(AlarmPolicy.of("MISSED=PT10M FAILING=3 LATE=off"))
                .errorHandler("WEBHOOK");
    }

    @Test
    void definitionWritesEachFieldOnceAndOmitsOptionalDefaults() {
        JobConfiguration full = full().build();
        JobConfiguration plain = JobConfiguration.newBuilder("job", 2).build();
        JsonObject written = json(definition(full()));
        JsonObject leastWritten = json(definition(JobConfiguration.newBuilder("job", 2)));
        for (JobField<?> field : JobConfiguration.fields()) {
            if (field.name().equals("scope")) {
                continue; // a different scope does not allow most of the other values
            }
            assertThat(full.value(field)).as(field.name()).isNotEqualTo(field.unset());
            assertThat(written.has(field.name())).as(field.name()).isTrue();
            assertThat(leastWritten.has(field.name())).as(field.name()).isEqualTo(!field.isLeftOut());
            JsonObject without = written.deepCopy();
            without.remove(field.name());
            if (field.isLeftOut()) {
                Definition read =
                        Codec.decode(node(without.toString()), Definition.class).value();
                assertThat(read.configuration().value(field)).as(field.name()).isEqualTo(plain.value(field));
            } else {
                assertThatThrownBy(() -> Codec.decode(node(without.toString()), Definition.class))
                        .hasMessageContaining(field.name() + " is missing");
            }
        }
    }

    private static JsonObject json(Definition definition) {
        return JsonParser.parseString(new String(Codec.encode(definition), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }

    static Stream<Object> values() {
        Set<String> jobs = IntStream.range(0, 10_000).mapToObj(i -> "job-" + i).collect(Collectors.toSet());
        Stream<Object> definitions = Stream.of(
                        JobConfiguration.newBuilder("job", 2),
                        full(),
                        full().schedule(Schedule.fixedDelay(Duration.ofMillis(1))),
                        full().schedule(Schedule.adaptive(Duration.ofSeconds(1), 16)
                                .jitter(Duration.ofSeconds(1))),
                        full().schedule(Schedule.continuous(Duration.ofSeconds(1))),
                        full().schedule(Schedule.once(Instant.parse("2026-01-01T00:00:00.123Z"))))
                .map(CodecTest::definition);
        Stream<Object> others = Stream.of(
                new Definition(full().build(), true),
                ItemRecord.fresh(Instant.EPOCH, 1, 1).pausing(Duration.ofSeconds(4)),
                JobOverride.NONE,
                overridden(),
                new InstanceInfo(
                        new JobInstance("a@1@1", "a", "", Map.of(), 1),
                        1,
                        InstanceInfo.State.WORKING,
                        false,
                        jobs,
                        List.of(),
                        Map.of()),
                new FireProgress("t-1", Set.of("0"), Map.of("1", ItemOutcome.SKIPPED), null),
                FireProgress.scheduled(
                        Set.of("0"),
                        new FireProgress.Once(FireProgress.Phase.BEGINNING, "host@1@2", 1, Instant.EPOCH, 1, 1)),
                new DelayedTrigger(
                        "a/b ü",
                        Duration.ofSeconds(5),
                        new Trigger.Request("job", "run", Map.of("a", "b"), Set.of("1"))),
                Orders.NONE,
                new Orders(
                        new Orders.Order("ann", "", Instant.EPOCH, null),
                        Map.of("1", new Orders.Order("ann", "disk", Instant.EPOCH, Instant.EPOCH.plusSeconds(1))),
                        List.of("r1", "r2")),
                ItemRecord.fresh(Instant.EPOCH, 1, 1));
        return Stream.concat(definitions, others);
    }

    /** Returns an override that changes every field and every component. */
    private static JobOverride overridden() {
        JobConfiguration full = full().build();
        JobOverride all = JobOverride.NONE
                .withRemoved(true)
                .withDisabledItems(Set.of("1"))
                .withDisabledInstances(Set.of("a@1@1", "b"))
                .withSkipTo(Instant.parse("2026-01-01T00:00:00.5Z"));
        for (JobField<?> field : JobConfiguration.fields()) {
            all = field.isOverridable() ? with(all, field, full) : all;
        }
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        return all.because(new JobOverride.Change("alice", "as she said", at, null), List.of("removed", "timeout"))
                .because(new JobOverride.Change("bob", "", at, at.plusSeconds(1)), List.of("paused", "disabledItems"))
                .after(List.of("request-1"), "request 2");
    }

    private static <T> JobOverride with(JobOverride override, JobField<T> field, JobConfiguration from) {
        return override.with(field, from.value(field));
    }

    @Test
    void writesEachOverriddenFieldAsInADefinition() {
        JsonObject definition = json(definition(full()));
        JsonObject written = JsonParser.parseString(new String(Codec.encode(overridden()), StandardCharsets.UTF_8))
                .getAsJsonObject();

        for (JobField<?> field : JobConfiguration.fields()) {
            assertThat(written.get(field.name()))
                    .as(field.name())
                    .isEqualTo(field.isOverridable() ? definition.get(field.name()) : null);
        }
        assertThat(written.get("changes").toString())
                .contains("\"timeout\":{\"by\":\"alice\",\"reason\":\"as she said\",\"at\":\"2026-01-01T00:00:00Z\"}");
    }

    /** An operator may remove a constraint or a limit with null. For fields with a default, null has no meaning. */
    @Test
    void nullOverridesAFieldWithoutDefault() {
        for (JobField<?> field : JobConfiguration.fields()) {
            String node = "{\"format\":4,\"removed\":false,\"disabledItems\":[],\"" + field.name()
                    + "\":null,\"future\":null}";
            Versioned<JobOverride> read = Codec.decode(node(node), JobOverride.class);
            boolean kept = field.isOverridable() && field.unset() == null;
            assertThat(read.value().fields().containsKey(field))
                    .as(field.name())
                    .isEqualTo(kept);
            String again = new String(Codec.encode(read.value(), read.unknown()), StandardCharsets.UTF_8);
            assertThat(again).contains("\"future\":null");
            assertThat(Codec.decode(node(again), JobOverride.class).value()).isEqualTo(read.value());
            if (kept) {
                assertThat(new String(Codec.encode(read.value()), StandardCharsets.UTF_8))
                        .contains("\"" + field.name() + "\":null");
            }
        }
    }

    @Test
    void writesOnlyWhatAnOverrideChanges() {
        assertThat(new String(Codec.encode(JobOverride.NONE.withPaused(true)), StandardCharsets.UTF_8))
                .isEqualTo("{\"format\":4,\"paused\":true}");
    }

    /** A newer version may override further fields. */
    @Test
    void originOfUnknownFieldSurvivesRoundTrip() {
        String change = "\"future\":{\"by\":\"alice\",\"reason\":\"\",\"at\":\"2026-01-01T00:00:00Z\","
                + "\"until\":\"2026-01-01T00:00:01Z\"}";
        String node = "{\"format\":4,\"removed\":false,\"disabledItems\":[],\"scope\":\"SINGLETON\",\"future\":7,"
                + "\"changes\":{" + change + "}}";
        Versioned<JobOverride> read = Codec.decode(node(node), JobOverride.class);
        JobOverride next =
                read.value().endedAt(Instant.parse("2027-01-01T00:00:00Z")).withPaused(true);

        assertThat(new String(Codec.encode(next, read.unknown()), StandardCharsets.UTF_8))
                .contains("\"scope\":\"SINGLETON\"", "\"future\":7", change);
    }

    /** The code that writes these classes is written by hand, so it might omit a new component. */
    @Test
    void writesEveryComponentOfRecordAndRun() {
        Instant at = Instant.EPOCH.plusSeconds(1);
        Run run = new Run(Fire.scheduled(at), 1, 1, 0, "a@1@1", "nonce", at, at, 1, 0, 0);
        ItemRecord record = ItemRecord.fresh(Instant.EPOCH, 1, 1)
                .claimed(run, Instant.EPOCH, List.of())
                .completed(at.plusSeconds(2), ItemOutcome.FAILED, "why")
                .claimed(
                        new Run(new Fire("run", at, 7, Map.of(), at), 2, 1, 0, "b@1@1", "nonce", at, at, 1, 0, 0),
                        at.plusSeconds(3),
                        List.of(new Skipped(at.plusSeconds(3), at, 1, SkipReason.MISFIRED)))
                .completed(at.plusSeconds(4), ItemOutcome.FAILED, "why")
                .claimed(run, at.plusSeconds(4), List.of(new Skipped(at.plusSeconds(4), at, 1, SkipReason.MISFIRED)))
                .completed(at.plusSeconds(4), ItemOutcome.FAILED, "why")
                .pausing(Duration.ofSeconds(4))
                .setBack("ann", "ticket 7", "r-1", Instant.EPOCH)
                .released("bob", "ticket 8", "r-2", at)
                .decidedBy("a@1@1");

        String written = new String(Codec.encode(record), StandardCharsets.UTF_8);
        JsonObject json = JsonParser.parseString(written).getAsJsonObject();
        assertThat(json.keySet())
                .containsAll(Stream.of(ItemRecord.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
        assertThat(json.getAsJsonObject("setBack").keySet())
                .containsAll(Stream.of(ItemRecord.SetBack.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
        assertThat(json.getAsJsonObject("release").keySet())
                .containsAll(Stream.of(ItemRecord.Release.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
        for (var part : List.of(
                Map.entry("opened", ItemRecord.Opened.class),
                Map.entry("previous", ItemRecord.End.class),
                Map.entry("skip", ItemRecord.Skip.class),
                Map.entry("run", Run.class))) {
            assertThat(json.getAsJsonObject(part.getKey()).keySet())
                    .containsAll(Stream.of(part.getValue().getRecordComponents())
                            .map(RecordComponent::getName)
                            .toList());
        }
        assertThat(Codec.decode(node(written), ItemRecord.class).value()).isEqualTo(record);
    }

    /** If a known field were taken for an unknown one, it would be written back forever, even after its removal. */
    @ParameterizedTest
    @MethodSource("values")
    void keepsNoKnownFieldAsUnknown(Object value) {
        Versioned<?> read =
                Codec.decode(node(new String(Codec.encode(value), StandardCharsets.UTF_8)), value.getClass());

        assertThat(read.value()).isEqualTo(value);
        assertThat(read.unknown().keySet()).isEmpty();
    }

    /** Instances of earlier versions cannot read this field, so a definition contains it only if it is needed. */
    @Test
    void writesErrorHandlerOnlyIfNotDefault() {
        Definition job = definition(JobConfiguration.newBuilder("job", 2));

        assertThat(new String(Codec.encode(job), StandardCharsets.UTF_8)).doesNotContain("errorHandler");
    }

    @Test
    void writesConstraintsOnlyIfPresent() {
        Definition job = definition(JobConfiguration.newBuilder("job", 2));

        assertThat(new String(Codec.encode(job), StandardCharsets.UTF_8))
                .doesNotContain(
                        "history",
                        "alarms",
                        "pauseReason",
                        "requiredInstances",
                        "preferredInstances",
                        "maxItemsPerInstance",
                        "antiAffinity",
                        "staticSharding",
                        "restartGrace");
    }

    @Test
    void writesGroundsOfPlanAsRangesOnlyIfPresent() {
        ShardingPlan plan = Codec.decode(node(PLAN), ShardingPlan.class).value();
        assertThat(plan.grounds()).isEqualTo(PlacementReasons.NONE);
        assertThat(new String(Codec.encode(plan), StandardCharsets.UTF_8)).doesNotContain("grounds");
        PlacementReasons grounds = new PlacementReasons(
                "ROUND",
                "7 a",
                Map.of("DRAINED b", List.of("1", "2", "3", "7")),
                Map.of("full", List.of("9")),
                Map.of("host", List.of("9")));

        String written = new String(Codec.encode(plan.with(plan.items(), grounds)), StandardCharsets.UTF_8);
        assertThat(written)
                .contains(
                        "\"grounds\":{\"strategy\":\"ROUND\",\"state\":\"7 a\","
                                + "\"moves\":{\"DRAINED b\":\"1-3,7\"},\"unplaced\":{\"full\":\"9\"},\"awaited\":{\"host\":\"9\"}}");
        Versioned<ShardingPlan> read = Codec.decode(node(written), ShardingPlan.class);
        assertThat(read.value().grounds()).isEqualTo(grounds);
        assertThat(read.unknown().keySet()).isEmpty();
    }

    /** A plan can be used without grounds, which are the reasons for its owners. */
    @Test
    void readsDamagedGroundsAsNone() {
        for (String grounds : List.of(
                "1",
                "null",
                "[]",
                "{\"state\":{}}",
                "{\"moves\":[]}",
                "{\"moves\":{\"x\":\"../y\"}}",
                "{\"moves\":{\"x\":{}}}",
                "{\"unplaced\":{\"x\":\"0-999999\"}}",
                "{\"unplaced\":{\"x\\ny\":\"0\"}}")) {
            String plan = PLAN.replace("\"items\"", "\"grounds\":" + grounds + ",\"items\"");

            Versioned<ShardingPlan> read = Codec.decode(node(plan), ShardingPlan.class);
            assertThat(read.value().owners()).hasSize(2);
            assertThat(read.value().grounds()).as(grounds).isEqualTo(PlacementReasons.NONE);
        }
    }

    @Test
    void readsEarlierPlanWithoutFormerSchedules() {
        assertThat(Codec.decode(node(PLAN), ShardingPlan.class).value().former())
                .isEmpty();
    }

    /** The fires of such a schedule are lost, but the rest of the plan remains usable. */
    @Test
    void readsDamagedScheduleOfPlanAsOneWithoutFires() {
        for (String schedule :
                List.of("\"x\"", "{\"type\":\"x\"}", "{\"type\":\"fixedRate\",\"period\":\"PT0S\"}", "{}", "null")) {
            String plan = PLAN.replace("{\"type\":\"onDemand\"}", schedule);

            assertThat(Codec.decode(node(plan), ShardingPlan.class).value().schedule())
                    .isEqualTo(Schedule.onDemand());
        }
    }

    @Test
    void formerSchedulesOfPlanSurviveRoundTrip() {
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        var former = new ShardingPlan.Former(
                Schedule.cron("0 0 9 * * ?", ZoneId.of("Europe/Berlin")), at, at.plusSeconds(1), at.plusSeconds(2));
        ShardingPlan plan = ShardingPlan.of(2, 1, Scope.SHARDED, EVERYTHING, at, 1)
                .madeFrom(1, 0, 0)
                .scheduled(EVERYTHING, at, at, List.of(former))
                .with(Map.of("a", List.of("0")), PlacementReasons.NONE);

        String written = new String(Codec.encode(plan), StandardCharsets.UTF_8);
        assertThat(Codec.decode(node(written), ShardingPlan.class).value()).isEqualTo(plan);
    }

    @Test
    void unknownFieldsSurviveRoundTrip() {
        for (var example : List.of(Map.entry(PLAN, ShardingPlan.class), Map.entry(RECORD, ItemRecord.class))) {
            String beside = example.getKey().replace("{\"format\":4", "{\"format\":4,\"future\":{\"x\":[1,2]}");
            Versioned<?> read = Codec.decode(node(beside), example.getValue());
            String written = new String(Codec.encode(read.value(), read.unknown()), StandardCharsets.UTF_8);
            assertThat(written).contains("\"future\":{\"x\":[1,2]}", "\"format\":4");
            assertThat(Codec.decode(node(written), example.getValue()).value()).isEqualTo(read.value());
        }
    }

    @Test
    void writesRecordExactlyAsGsonWould() {
        Instant at = Instant.parse("2026-01-01T00:00:00.123456Z");
        Fire fire = new Fire("run-1", at, 7, Map.of("a\"b", "c\\\n\u2028", "k", ""));
        Run run = new Run(fire, 3, 2, 1, "host@1@2", "nonce \u00e9", at, at.minusNanos(1), 1, 0, 0);
        ItemRecord fresh = ItemRecord.fresh(at, 5, 6);
        ItemRecord running = fresh.claimed(run, at, List.of(new Skipped(at, at, 2, SkipReason.MISFIRED)));
        ItemRecord paused = running.completed(at.plusSeconds(1), ItemOutcome.FAILED, "it </failed>\t")
                .pausing(Duration.ofMillis(1500));
        ItemRecord changed = paused.setBack("ann", "", "r-1", at).released("bob", "", "r-2", at);
        Fire large = new Fire("run-2", at, 8, Map.of("ids", "1".repeat(300)));
        ItemRecord omitting = fresh.claimed(
                        new Run(large, 2_000, 1, 0, "host@1@2", "n", at, at, 1, 0, 0), at, List.of())
                .completed(at, ItemOutcome.FAILED, null);
        assertThat(paused.requireRun().fire()).isEqualTo(fire);
        assertThat(omitting.requireRun().fire()).isEqualTo(new Fire("run-2", at, 8, Map.of(), null, 303));
        for (Object value : List.of(fresh, running, paused, paused.handedOver(), changed, omitting, run)) {
            String written = new String(Codec.encode(value), StandardCharsets.UTF_8);
            assertThat(written)
                    .isEqualTo("{\"format\":4," + Values.GSON.toJson(value).substring(1));
        }
        ItemRecord again = paused.claimed(run, at, List.of());
        Run other = new Run(Fire.scheduled(at), 4, 2, 1, "host@1@3", "host@1@3/job/7", at, at, 2, 0, 0);
        ItemRecord third = again.completed(at, ItemOutcome.SUCCEEDED, null).claimed(other, at, List.of());
        ItemRecord fourth = third.completed(at, ItemOutcome.CANCELLED, "").claimed(other, at, List.of());
        for (ItemRecord value : List.of(paused, omitting, again, third, fourth)) {
            assertThat(Codec.decode(node(new String(Codec.encode(value), StandardCharsets.UTF_8)), ItemRecord.class)
                            .value())
                    .isEqualTo(value);
        }
    }

    private static ItemRecord recordOfTwoRuns() {
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        Run run = new Run(Fire.scheduled(at.plusSeconds(9)), 3, 1, 0, "host@1@2", "nonce", at, at, 1, 0, 7);
        return ItemRecord.fresh(at, 5, 6)
                .claimed(run, at.plusSeconds(3), List.of(new Skipped(at.plusSeconds(3), at, 1, SkipReason.MISFIRED)))
                .completed(at.plusSeconds(9), ItemOutcome.FAILED, "why")
                .claimed(run, at.plusSeconds(9), List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"previous\":{}",
                "\"previous\":[]",
                "\"previous\":{\"run\":{\"fire\":{\"at\":\"soon\"}}}",
                "\"previous\":{\"run\":{\"fire\":{\"at\":\"2026-01-01T00:00:00Z\"}},\"outcome\":\"FAILED\"}",
                "\"opened\":null",
                "\"opened\":{\"incarnation\":1}",
                "\"opened\":{\"incarnation\":1,\"cursor\":\"soon\"}",
                "\"skip\":{\"after\":\"2026-01-01T00:00:00Z\",\"incarnation\":1}",
                "\"skip\":7"
            })
    void refusesRecordWithInvalidHistory(String part) {
        String plain = new String(Codec.encode(ItemRecord.fresh(Instant.EPOCH, 1, 1)), StandardCharsets.UTF_8)
                .replaceFirst(part.startsWith("\"opened") ? ",\"opened\":\\{[^}]*}" : ",\"skip\":\\{[^}]*}", "");

        assertThatThrownBy(() -> Codec.decode(node(plain.replaceFirst("}$", "," + part + "}")), ItemRecord.class))
                .isInstanceOf(Codec.Unreadable.class)
                .hasMessageContaining(part.substring(1, part.indexOf('"', 1)));
    }

    /** Format 1 is of a version before the first release. No instance may repair such a node. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 99})
    void valueOfAnotherFormatIsLeftAlone(int format) {
        assertThatThrownBy(() -> Codec.decode(node("{\"format\":" + format + "}"), ItemRecord.class))
                .isInstanceOfSatisfying(Codec.Unreadable.class, unreadable -> assertThat(
                                unreadable.damage().replaceable())
                        .isFalse())
                .hasMessageContaining("its format is " + format + ", and this version reads 4; ")
                .hasMessageContaining(format < 4 ? "delete the nodes of the namespace" : "upgrade the library");
    }

    /** A rolling change compares this file in two revisions, because they cannot read each other's nodes if it differs. */
    @Test
    void formatIsThatOfTheFile() throws IOException {
        assertThat(Files.readString(Path.of("..", "build", "FORMATS"))).isEqualTo(Codec.FORMAT + "\n");
    }

    private record Added(int one, int two) {}

    /** An earlier version can therefore read the value until a user sets the new field. */
    @Test
    void fieldOfALaterVersionIsNotWrittenWhileItHasItsDefault() {
        Gson gson = new GsonBuilder()
                .registerTypeAdapterFactory(new LaterFields(Map.of(Added.class, Map.of("two", new JsonPrimitive(2)))))
                .create();

        assertThat(gson.toJson(new Added(1, 2))).isEqualTo("{\"one\":1}");
        assertThat(gson.toJson(new Added(1, 3))).isEqualTo("{\"one\":1,\"two\":3}");
        assertThat(gson.fromJson("{\"one\":1}", Added.class)).isEqualTo(new Added(1, 2));
    }

    @Test
    void writesInstantsAsToStringDoes() {
        SplittableRandom random = new SplittableRandom(1);
        Instant start = Instant.parse("1969-12-31T23:59:40Z");
        List<Instant> instants = Stream.concat(
                        Stream.of(Instant.MIN, Instant.MAX, Instant.EPOCH, Instant.parse("2026-01-01T00:00:00Z")),
                        Stream.generate(() -> start.plusSeconds(random.nextInt(40))
                                .plusNanos(random.nextInt(1_000)
                                        * (random.nextBoolean() ? 1_000_000L : random.nextBoolean() ? 1_000L : 1L))))
                .limit(2_000)
                .toList();

        for (Instant instant : instants) {
            assertThat(ItemForm.text(instant)).isEqualTo(instant.toString());
        }
    }

    /** Appends one defect to a valid node. */
    @ParameterizedTest
    @ValueSource(strings = {"4}x", "4} {\"format\":4,\"paused\":true}", "4294967300}", "4.5}"})
    void rejectsTextAfterNodeAndInexactFormat(String formatAndRest) {
        String right = new String(Codec.encode(JobOverride.NONE.withPaused(true)), StandardCharsets.UTF_8);
        String fields = right.replaceFirst("\"format\":4,", "").replaceFirst("}$", "");
        assertThat(Codec.decode(node(fields + ",\"format\":4}"), JobOverride.class)
                        .value()
                        .paused())
                .isTrue();

        Codec.Unreadable refusal = catchThrowableOfType(
                Codec.Unreadable.class,
                () -> Codec.decode(node(fields + ",\"format\":" + formatAndRest), JobOverride.class));
        assertThat(refusal).isNotNull();
        assertThat(refusal.damage().replaceable()).isEqualTo(!formatAndRest.startsWith("4294967300"));
    }
}
