package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests all routes against a cluster in virtual time. */
@Tag("smoke")
@ExpectedErrors("pause failed")
class ApiTest {
    private static final String BASE = Routes.NAMESPACES + "/orders";
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final DocumentedAnswers ANSWERS = new DocumentedAnswers();

    private final TestCluster cluster = new TestCluster(2, START, 1);
    private Operations operations;
    private Api api;

    /** Has one role everywhere. */
    private record Everywhere(Role role) implements Caller {
        @Override
        public String name() {
            return "ann";
        }

        @Override
        public String origin() {
            return "test";
        }

        @Override
        public boolean has(Role needed, String namespace, @Nullable String job) {
            return needed.compareTo(role) <= 0;
        }

        @Override
        public boolean sees(String namespace) {
            return true;
        }
    }

    private record Single(Operations itself) implements Namespaces {
        @Override
        public List<String> names() {
            return List.of("orders");
        }

        @Override
        public Optional<Operations> operations(String namespace) {
            return namespace.equals("orders") ? Optional.of(itself) : Optional.empty();
        }
    }

    @BeforeEach
    void start() {
        schedule("settle", 2);
        operations = cluster.observe();
        api = new Api(new Single(operations), false);
        cluster.advance(Duration.ofSeconds(10));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void schedule(String name, int items) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(name, items)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .jobParameter("secret")
                        .build());
    }

    private Response send(String method, String path, String query, String body, Map<String, String> headers) {
        return send(new Everywhere(Role.ADMIN), method, path, query, body, headers);
    }

    private Response send(
            Caller caller, String method, String path, String query, String body, Map<String, String> headers) {
        Map<String, List<String>> lists = new HashMap<>();
        headers.forEach((name, value) -> lists.put(name, List.of(value)));
        Response response = api.handle(
                new Request(method, path, query, lists, body.getBytes(StandardCharsets.UTF_8), "test", true), caller);
        if (response.status() < 400) {
            ANSWERS.check(method, path, response);
        }
        return response;
    }

    private Response get(String path) {
        int question = path.indexOf('?');
        return question < 0
                ? send("GET", BASE + path, "", "", Map.of())
                : send("GET", BASE + path.substring(0, question), path.substring(question + 1), "", Map.of());
    }

    private Response post(String path, String body) {
        return send("POST", BASE + path, "", body, Map.of());
    }

    private static JsonObject json(Response response) {
        return JsonParser.parseString(response.text()).getAsJsonObject();
    }

    private static JsonObject ok(Response response) {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return json(response);
    }

    private static List<String> texts(JsonElement array, String member) {
        List<String> texts = new ArrayList<>();
        for (JsonElement each : array.getAsJsonArray()) {
            texts.add(each.getAsJsonObject().get(member).getAsString());
        }
        return texts;
    }

    @Test
    void headIsAGetWithoutBody() {
        Response get = get("/jobs/settle");
        Response head = api.handle(
                new Request("HEAD", BASE + "/jobs/settle", "", Map.of(), new byte[0], "test", true),
                new Everywhere(Role.ADMIN));
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers())
                .containsEntry("ETag", get.headers().get("ETag"))
                .containsEntry("Content-Length", String.valueOf(get.body().length));
    }

    @Test
    void everyOperationHasExactlyOneRoute() {
        List<Operation> served =
                new Routes().all().stream().map(Route::operation).toList();

        assertThat(served).containsExactlyInAnyOrder(Operation.values());
    }

    @Test
    void noTwoRoutesAnswerTheSamePath() {
        List<String> paths = new Routes()
                .all().stream()
                        .map(route -> route.method() + " " + route.path())
                        .toList();

        assertThat(new TreeSet<>(paths)).hasSameSizeAs(paths);
    }

    @ParameterizedTest
    @CsvSource({
        "'', leader",
        "/jobs, jobs",
        "/activity?job=settle, activity",
        "/jobs/settle, summary",
        "/jobs/settle/items, items",
        "/jobs/settle/items/0/explanation, explanation",
        "/backfills, backfills",
        "/alarms, alarms",
        "/instances, instances",
        "/jobs/settle/next-fires, fires",
        "/forecast, slots",
        "/settings, overrides"
    })
    void viewAnswersJson(String path, String member) {
        assertThat(ok(get(path)).has(member)).as(get(path).text()).isTrue();
    }

    @Test
    void runOfATriggerIsShown() {
        String runId = ok(post("/jobs/settle/trigger", "{\"requestId\":\"run-1\",\"items\":[\"1\"]}"))
                .get("created")
                .getAsString();
        cluster.advance(Duration.ofMinutes(1));

        JsonObject run = ok(get("/jobs/settle/runs/" + runId));

        assertThat(run.get("state").getAsString()).isEqualTo("ENDED");
        assertThat(run.getAsJsonObject("outcomes").get("1").getAsString()).isEqualTo("SUCCEEDED");
        assertThat(get("/jobs/settle/runs/other").status()).isEqualTo(404);
    }

    /** Bodies of all commands, in an order in which each command is permitted. */
    static Map<Operation, String> bodies() {
        Map<Operation, String> bodies = new LinkedHashMap<>();
        bodies.put(Operation.PAUSE, "{\"until\":\"2026-01-02T00:00:00Z\",\"reason\":\"ticket 7\"}");
        bodies.put(Operation.RESUME, "{\"catchUp\":false}");
        bodies.put(Operation.SKIP_FIRES, "{\"to\":\"2026-01-01T02:00:00Z\"}");
        bodies.put(
                Operation.SET_OVERRIDE,
                "{\"fields\":{\"timeout\":\"PT5M\",\"shardingItemParameters\":{\"0\":\"a\"},"
                        + "\"schedule\":{\"type\":\"fixedRate\",\"period\":\"PT1M\"}}}");
        bodies.put(Operation.REMOVE_OVERRIDE, "{}");
        bodies.put(Operation.DISABLE_ITEM, "{\"item\":\"0\"}");
        bodies.put(Operation.ENABLE_ITEM, "{\"item\":\"0\"}");
        bodies.put(Operation.DISABLE_INSTANCE, "{\"instance\":\"host-9\"}");
        bodies.put(Operation.ENABLE_INSTANCE, "{\"instance\":\"host-9\"}");
        bodies.put(Operation.SILENCE_ALARMS, "{\"kinds\":[\"MISSED\"],\"until\":\"2026-01-02T00:00:00Z\"}");
        bodies.put(Operation.UNSILENCE_ALARMS, "{}");
        bodies.put(Operation.RELEASE_ITEM, "{\"item\":\"0\"}");
        bodies.put(Operation.SET_BACK_CURSOR, "{\"item\":\"0\"}");
        bodies.put(Operation.TRIGGER, "{\"delay\":\"PT1H\",\"requestId\":\"later\",\"parameters\":{\"day\":\"1\"}}");
        bodies.put(Operation.CANCEL_TRIGGER, "{\"runId\":\"later\"}");
        bodies.put(Operation.RERUN_ITEMS, "{\"runId\":\"none\",\"items\":[\"0\"]}");
        bodies.put(Operation.STOP_FIRE, "{\"runId\":\"none\"}");
        bodies.put(Operation.FREEZE, "{\"reason\":\"deployment\"}");
        bodies.put(
                Operation.BACKFILL,
                "{\"from\":\"2025-12-01T00:00:00Z\",\"to\":\"2025-12-31T22:00:00Z\",\"parallel\":1}");
        bodies.put(Operation.STOP_BACKFILL, "{}");
        bodies.put(Operation.RESUME_BACKFILL, "{}");
        bodies.put(Operation.THAW, "");
        bodies.put(Operation.DRAIN_INSTANCE, "{\"instance\":\"host-9\"}");
        bodies.put(Operation.UNDRAIN_INSTANCE, "{\"instance\":\"host-9\"}");
        bodies.put(Operation.EVICT_INSTANCE, "{\"instance\":\"gone@1@2\"}");
        bodies.put(Operation.APPLY, "{\"document\":{\"format\":4,\"overrides\":{}}}");
        bodies.put(Operation.REMOVE, "{}");
        bodies.put(Operation.PURGE, "{}");
        return bodies;
    }

    /** Commands whose object does not exist here; the state or the lack of the object refuses them. */
    private static final Map<Operation, Integer> REFUSED = Map.of(
            Operation.RELEASE_ITEM, 409,
            Operation.SET_BACK_CURSOR, 409,
            Operation.RERUN_ITEMS, 422,
            Operation.STOP_FIRE, 422,
            Operation.EVICT_INSTANCE, 404,
            Operation.PURGE, 409);

    @Tag("slow")
    @Test
    void everyCommandIsExecutedOrRefusedWithItsReason() {
        Map<Operation, Integer> statuses = new LinkedHashMap<>();
        Map<Operation, Integer> expected = new LinkedHashMap<>();
        StringBuilder answers = new StringBuilder();
        bodies().forEach((operation, body) -> {
            Response response = post(path(operation), body);
            statuses.put(operation, response.status());
            expected.put(operation, REFUSED.getOrDefault(operation, 200));
            answers.append(operation).append(": ").append(response.text());
            cluster.advance(Duration.ofSeconds(5));
        });

        assertThat(bodies().keySet())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Operation.values())
                        .filter(Operation::changes)
                        .toList());
        assertThat(statuses).as(answers.toString()).isEqualTo(expected);
    }

    private static String path(Operation operation) {
        return new Routes()
                .all().stream()
                        .filter(route -> route.operation() == operation)
                        .findFirst()
                        .orElseThrow()
                        .path()
                        .replace("{job}", "settle");
    }

    @Test
    void commandIsStoredWithTheCallerAsItsActorAndTheReason() {
        ok(post("/jobs/settle/pause", "{\"reason\":\"ticket 7\"}"));

        assertThat(operations.job("settle").summary().stateText()).contains("ann", "ticket 7");
    }

    @Test
    void actorInTheBodyIsRefused() {
        assertThat(post("/jobs/settle/pause", "{\"actor\":\"bob\"}").text()).contains("INVALID", "'actor'", "until");
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void everyCommandRefusesAnUnknownMemberAndNamesTheAcceptedOnes() {
        bodies().forEach((operation, body) -> {
            JsonObject members = body.isEmpty()
                    ? new JsonObject()
                    : JsonParser.parseString(body).getAsJsonObject();
            List<String> accepted = new ArrayList<>(members.keySet());
            accepted.addAll(List.of("reason", "requestId"));
            members.addProperty("colour", "red");
            Response refused = post(path(operation), members.toString());

            assertThat(refused.status()).as(operation + " " + refused.text()).isEqualTo(422);
            JsonObject problem = json(refused);
            assertThat(problem.get("field").getAsString()).isEqualTo("colour");
            assertThat(problem.get("detail").getAsString()).contains(accepted).doesNotContain("job,");
        });
    }

    @Test
    void rerunRepeatsTheParametersAndChangesSomeOfThem() {
        List<Map<String, String>> received = new ArrayList<>();
        cluster.schedule(
                context -> {
                    received.add(context.triggerParameters());
                    if (received.size() == 1) {
                        throw new IllegalStateException("broken");
                    }
                },
                JobConfiguration.newBuilder("report", 1).build());
        ok(post("/jobs/report/trigger", "{\"requestId\":\"r-1\",\"parameters\":{\"day\":\"1\",\"mode\":\"x\"}}"));
        cluster.advance(Duration.ofSeconds(5));

        ok(post("/jobs/report/rerun-items", "{\"runId\":\"r-1\",\"requestId\":\"r-2\"}"));
        cluster.advance(Duration.ofSeconds(5));
        ok(post("/jobs/report/rerun-items", "{\"runId\":\"r-2\",\"items\":[\"0\"],\"parameters\":{\"day\":\"2\"}}"));
        cluster.advance(Duration.ofSeconds(5));

        assertThat(received)
                .containsExactly(
                        Map.of("day", "1", "mode", "x"),
                        Map.of("day", "1", "mode", "x"),
                        Map.of("day", "2", "mode", "x"));
    }

    @Test
    void dryRunShowsTheEffectsAndChangesNothing() {
        JsonObject preview = ok(send("POST", BASE + "/jobs/settle/pause", "dryRun=true", "{}", Map.of()));

        assertThat(preview.get("outcome").getAsString()).isEqualTo("PREVIEW");
        assertThat(preview.getAsJsonArray("effects")).isNotEmpty();
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void ofTwoClientsWithTheSameTagOneWinsAndTheOtherReadsWhoWasFaster() {
        String tag = get("/jobs/settle").headers().get("ETag");
        Map<String, String> expecting = Map.of("If-Match", tag);
        ok(send("POST", BASE + "/jobs/settle/set-override", "", "{\"fields\":{\"jobParameter\":\"x\"}}", expecting));

        Response second = send("POST", BASE + "/jobs/settle/pause", "", "{}", expecting);

        assertThat(second.status()).isEqualTo(412);
        assertThat(json(second).get("detail").getAsString()).contains("ann", "jobParameter");
        assertThat(second.headers().get("ETag"))
                .isEqualTo(get("/jobs/settle").headers().get("ETag"));
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void repeatedRequestIdChangesNothing() {
        ok(post("/jobs/settle/pause", "{\"requestId\":\"r-1\"}"));
        ok(post("/jobs/settle/resume", ""));

        JsonObject again = ok(post("/jobs/settle/pause", "{\"requestId\":\"r-1\"}"));

        assertThat(again.get("outcome").getAsString()).isEqualTo("UNCHANGED");
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void pagesOfJobsJoinToTheWholeListInEveryOrder() {
        IntStream.range(0, 7).forEach(job -> schedule("job-" + job, 1 + job % 3));
        cluster.advance(Duration.ofSeconds(30));
        for (String sort : List.of("name", "state", "nextFire", "items", "problems")) {
            List<String> names = new ArrayList<>();
            String after = "";
            do {
                JsonObject page = ok(get("/jobs?limit=3&sort=" + sort + after));
                names.addAll(texts(page.get("jobs"), "job"));
                assertThat(page.get("total").getAsInt()).isEqualTo(8);
                after = page.has("next") ? "&after=" + page.get("next").getAsString() : "";
            } while (!after.isEmpty());
            assertThat(names).as(sort).hasSize(8).doesNotHaveDuplicates();
        }
        assertThat(texts(ok(get("/jobs?search=JOB-3")).get("jobs"), "job")).containsExactly("job-3");
        assertThat(ok(get("/jobs?state=PAUSED")).getAsJsonArray("jobs")).isEmpty();
    }

    @Test
    void wrongClockOfAnInstanceIsNoProblemOfItsJobs() {
        cluster.join(Duration.ofMinutes(1));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ok(get("/jobs")).toString()).contains("CLOCK_AHEAD");
        assertThat(ok(get("/jobs?problems=true")).getAsJsonArray("jobs")).isEmpty();
        ok(post("/jobs/settle/pause", ""));
        cluster.advance(Duration.ofSeconds(30));
        assertThat(texts(ok(get("/jobs?problems=true")).get("jobs"), "job")).containsExactly("settle");
    }

    @Test
    void pagesOfItemsJoinToTheWholeList() {
        JsonObject first = ok(get("/jobs/settle/items?limit=1"));
        JsonObject second =
                ok(get("/jobs/settle/items?limit=1&after=" + first.get("next").getAsString()));

        assertThat(texts(first.get("items"), "item")).containsExactly("0");
        assertThat(texts(second.get("items"), "item")).containsExactly("1");
        assertThat(second.has("next")).isFalse();
    }

    @Test
    void fieldsShowDefinitionOverrideAndEffectiveValue() {
        ok(post(
                "/jobs/settle/set-override",
                "{\"fields\":{\"schedule\":{\"type\":\"fixedRate\",\"period\":\"PT1M\"}},\"reason\":\"ticket 8\"}"));
        JsonArray fields = ok(get("/jobs/settle")).getAsJsonArray("fields");
        JsonObject schedule = null;
        for (JsonElement each : fields) {
            if (each.getAsJsonObject().get("field").getAsString().equals("schedule")) {
                schedule = each.getAsJsonObject();
            }
        }

        assertThat(schedule).isNotNull();
        assertThat(schedule.getAsJsonObject("defined").get("type").getAsString())
                .isEqualTo("cron");
        assertThat(schedule.getAsJsonObject("effective").get("period").getAsString())
                .isEqualTo("PT1M");
        assertThat(schedule.getAsJsonObject("change").get("reason").getAsString())
                .isEqualTo("ticket 8");
    }

    @Test
    void maskingHidesTheValuesOfParameters() {
        api = new Api(new Single(operations), true);
        ok(post(
                "/jobs/settle/backfill",
                "{\"from\":\"2025-12-31T20:00:00Z\",\"to\":\"2025-12-31T22:00:00Z\","
                        + "\"parameters\":{\"key\":\"secret\"}}"));

        assertThat(get("/jobs/settle").text()).contains("jobParameter", "***").doesNotContain("secret");
        assertThat(get("/backfills").text()).contains("key", "***").doesNotContain("secret");
    }

    @Test
    void maskingHidesTheValuesInTheSettingsToo() {
        api = new Api(new Single(operations), true);
        String override = "{\"fields\":{\"jobParameter\":\"new \\\"secret\\\"\","
                + "\"shardingItemParameters\":{\"0\":\"a secret}\"}}}";
        ok(post("/jobs/settle/set-override", override));

        String settings = get("/settings").text();
        assertThat(settings).contains("jobParameter", "***").doesNotContain("secret");
        Response differences =
                post("/settings/diff", "{\"format\":" + json(get("/settings")).get("format") + ",\"overrides\":{}}");
        assertThat(differences.text())
                .contains("jobParameter is not set in the document and hidden in the namespace")
                .contains("shardingItemParameters is not set in the document and hidden in the namespace")
                .doesNotContain("secret");
        JsonObject other = json(get("/settings"));
        other.getAsJsonObject("overrides").getAsJsonObject("settle").addProperty("jobParameter", "old secret");
        assertThat(post("/settings/diff", other.toString()).text())
                .contains("jobParameter is hidden in the document and hidden in the namespace, with different values")
                .doesNotContain("secret");
    }

    @Test
    void maskedComparisonShowsTheOtherFieldsBetweenTwoParameters() {
        String parameters = "\"jobParameter\":\"%s\",\"shardingItemParameters\":{\"0\":\"%s\"}";
        ok(post(
                "/jobs/settle/set-override",
                "{\"fields\":{" + parameters.formatted("secret", "secret") + ",\"maxAttempts\":5}}"));
        api = new Api(new Single(operations), true);
        String document = "{\"format\":" + json(get("/settings")).get("format") + ",\"overrides\":{\"settle\":{"
                + parameters.formatted("other", "other") + ",\"maxAttempts\":7}}}";
        String hidden = " is hidden in the document and hidden in the namespace, with different values";

        for (JsonArray texts : List.of(
                json(post("/settings/diff", document)).getAsJsonArray("differences"),
                ok(send("POST", BASE + "/apply", "dryRun=true", "{\"document\":" + document + "}", Map.of()))
                        .getAsJsonArray("effects"))) {
            List<String> all =
                    texts.asList().stream().map(JsonElement::getAsString).toList();
            assertThat(all.get(0))
                    .isEqualTo("job 'settle': jobParameter" + hidden + "; shardingItemParameters" + hidden);
            assertThat(all.get(1))
                    .startsWith("job 'settle': ")
                    .contains("maxAttempts is 7 in the document and 5 in the namespace");
            assertThat(all.toString()).doesNotContain("secret");
        }
        assertThat(json(get("/jobs/settle")).toString()).contains("\"effective\":5");
    }

    /** The parameters of the namespace do not fit the item count of the document, which must not refuse the preview. */
    @Test
    void maskedPreviewOfARestoreHidesParametersThatDoNotFit() {
        ok(post(
                "/jobs/settle/set-override",
                "{\"fields\":{\"shardingItemParameters\":{\"0\":\"secret\",\"1\":\"secret\"}}}"));
        api = new Api(new Single(operations), true);
        String document = "{\"format\":" + json(get("/settings")).get("format") + ",\"overrides\":{\"settle\":{"
                + "\"shardingTotalCount\":1,\"shardingItemParameters\":{\"0\":\"x\"}}}}";

        Response restored = send("POST", BASE + "/apply", "dryRun=true", "{\"document\":" + document + "}", Map.of());

        assertThat(restored.status()).as(restored.text()).isEqualTo(200);
        assertThat(restored.text()).contains("shardingItemParameters is hidden").doesNotContain("secret");
        assertThat(post("/settings/diff", document).text())
                .contains("shardingItemParameters is hidden", "shardingTotalCount is 1 in the document")
                .doesNotContain("secret");
    }

    @Test
    void maskedComparisonOfEqualParametersNamesNone() {
        ok(post("/jobs/settle/set-override", "{\"fields\":{\"jobParameter\":\"secret\",\"maxAttempts\":5}}"));
        Api open = api;
        JsonObject document = json(get("/settings"));
        document.getAsJsonObject("overrides").getAsJsonObject("settle").addProperty("maxAttempts", 7);
        api = new Api(new Single(operations), true);

        assertThat(json(post("/settings/diff", document.toString()))
                        .getAsJsonArray("differences")
                        .asList())
                .singleElement()
                .extracting(JsonElement::getAsString)
                .isEqualTo("job 'settle': maxAttempts is 7 in the document and 5 in the namespace");
        api = open;
    }

    /** The caller chooses the value in the document, which a comparison quotes beside the hidden one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "5",
                "true",
                "[1,{}]",
                "{\"0\":{\"1\":{}}}",
                "\"in the document and x in the namespace\\n\"",
                "\"x in the document and y in the namespace; maxAttempts is \"",
                "\"x in the document and y in the namespace; shardingItemParameters is \"",
                "null"
            })
    void comparisonHidesParametersWhateverTheDocumentHolds(String value) {
        ok(post(
                "/jobs/settle/set-override",
                "{\"fields\":{\"jobParameter\":\"secret\",\"shardingItemParameters\":{\"0\":\"secret\"}}}"));
        api = new Api(new Single(operations), true);
        JsonObject document = json(get("/settings"));
        JsonObject override = document.getAsJsonObject("overrides").getAsJsonObject("settle");
        for (String field : List.of("jobParameter", "shardingItemParameters")) {
            JsonElement before = override.get(field);
            override.add(field, JsonParser.parseString(value));
            assertThat(post("/settings/diff", document.toString()).text()).doesNotContain("secret");
            override.add(field, before);
        }
    }

    @Test
    void hiddenValuesAreNeitherComparedNorStored() {
        ok(post(
                "/jobs/settle/set-override",
                "{\"fields\":{\"jobParameter\":\"secret\",\"shardingItemParameters\":{\"0\":\"secret\"}}}"));
        Api open = api;
        api = new Api(new Single(operations), true);
        String hidden = get("/settings").text();

        for (Api each : List.of(api, open)) { // the settings may be compared elsewhere than they were exported
            api = each;
            assertThat(json(post("/settings/diff", hidden))
                            .getAsJsonArray("differences")
                            .asList())
                    .extracting(JsonElement::getAsString)
                    .containsExactly(
                            "job 'settle': jobParameter is not compared, because its value in the document is hidden"
                                    + " (***)",
                            "job 'settle': shardingItemParameters is not compared, because its value in the document is"
                                    + " hidden (***)");
            for (String document : List.of(hidden, new JsonPrimitive(hidden).toString())) {
                Response restored = post("/apply", "{\"document\":" + document + "}");
                assertThat(restored.status()).isEqualTo(422);
                assertThat(json(restored).get("detail").getAsString())
                        .contains("overrides.settle.jobParameter", "overrides.settle.shardingItemParameters")
                        .contains("are hidden (***)");
            }
            for (String body : List.of(
                    "set-override {\"fields\":{\"jobParameter\":\"***\"}}",
                    "set-override {\"fields\":{\"shardingItemParameters\":{\"0\":\"a\",\"1\":\"***\"}}}",
                    "trigger {\"parameters\":{\"key\":\"***\"}}")) {
                Response refused = post(
                        "/jobs/settle/" + body.substring(0, body.indexOf(' ')), body.substring(body.indexOf(' ') + 1));
                assertThat(refused.status()).as(body).isEqualTo(422);
                assertThat(json(refused).get("detail").getAsString()).contains("is hidden (***)");
            }
        }
        assertThat(get("/settings").text()).contains("secret");
    }

    @Test
    void settingsOfAnotherJobWithHiddenValuesAreADifference() {
        String document = "{\"format\":" + json(get("/settings")).get("format")
                + ",\"overrides\":{\"settle\":{\"jobParameter\":\"***\"}}}";
        assertThat(post("/settings/diff", document).text())
                .contains("jobParameter is \\\"***\\\" in the document and not set in the namespace");
    }

    @Test
    void emptyParameterIsNotHidden() {
        api = new Api(new Single(operations), true);
        ok(post("/jobs/settle/set-override", "{\"fields\":{\"jobParameter\":\"\"}}"));

        assertThat(get("/jobs/settle").text()).contains("\"effective\":\"\"");
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"NAMESPACE", "JOB", "PAUSE", "REMOVE", "FREEZE"})
    void callerNeedsTheRoleOfTheOperation(Operation operation) {
        String method = operation.changes() ? "POST" : "GET";
        for (Role role : Role.values()) {
            int status = send(new Everywhere(role), method, BASE + path(operation), "", "", Map.of())
                    .status();
            assertThat(status)
                    .as("%s as %s", operation, role)
                    .isEqualTo(role.compareTo(operation.role()) < 0 ? 403 : 200);
        }
    }

    @Test
    void overrideThatCannotBeTakenBackNeedsAnAdministrator() {
        String path = BASE + "/jobs/settle/set-override";
        String both = "{\"fields\":{\"maxAttempts\":5,\"fenceEpoch\":1}}";

        Response refused = send(new Everywhere(Role.OPERATOR), "POST", path, "", both, Map.of());
        assertThat(refused.status()).isEqualTo(403);
        assertThat(json(refused).get("role").getAsString()).isEqualTo("ADMIN");
        Response predicted = send(new Everywhere(Role.OPERATOR), "POST", path, "dryRun=true", both, Map.of());
        assertThat(predicted.status()).isEqualTo(403);
        String other = "{\"fields\":{\"maxAttempts\":5}}";
        assertThat(send(new Everywhere(Role.OPERATOR), "POST", path, "", other, Map.of())
                        .status())
                .isEqualTo(200);
        assertThat(post("/jobs/settle/set-override", both).status()).isEqualTo(200);
    }

    @Test
    void fenceEpochRisesByOneAndTheDryRunSaysThatItStays() {
        String path = "/jobs/settle/set-override";
        Response jump = post(path, "{\"fields\":{\"fenceEpoch\":2047}}");
        assertThat(jump.status()).as(jump.text()).isEqualTo(422);
        assertThat(json(jump).get("detail").getAsString())
                .contains("fenceEpoch is '2047'; accepted: 1, one more than the present 0");

        String next = "{\"fields\":{\"fenceEpoch\":1},\"requestId\":\"one\"}";
        assertThat(effects(path, next)).contains("this cannot be taken back: fenceEpoch only rises");
        ok(post(path, next));
        assertThat(ok(post(path, next)).get("outcome").getAsString()).isEqualTo("UNCHANGED");
        assertThat(post(path, "{\"fields\":{\"fenceEpoch\":3}}").status()).isEqualTo(422);
        ok(post(path, "{\"fields\":{\"fenceEpoch\":2}}"));
    }

    @Test
    void overrideCreatesOnlyAsManyItemsAsTheJobMayHaveBeenWrittenFor() {
        String path = "/jobs/settle/set-override";
        Response refused = post(path, "{\"fields\":{\"shardingTotalCount\":1001}}");

        assertThat(refused.status()).as(refused.text()).isEqualTo(422);
        assertThat(json(refused).get("detail").getAsString())
                .contains("shardingTotalCount is '1001'; accepted: 1 to 1000 in an override of the definition's ");
        ok(post(path, "{\"fields\":{\"shardingTotalCount\":1000}}"));
    }

    @Test
    void resultOfAnOverrideNamesTheValuesExceptSecretOnes() {
        String path = "/jobs/settle/set-override";
        String body = "{\"fields\":{\"maxAttempts\":5,\"jobParameter\":\"hunter2\"}}";

        assertThat(effects(path, body).get(0))
                .contains("maxAttempts 3 to 5", "jobParameter")
                .doesNotContain("hunter2");
        String done = ok(post(path, body)).get("text").getAsString();
        assertThat(done)
                .isEqualTo("overrides [jobParameter, maxAttempts] of job 'settle': jobParameter, maxAttempts 3 to 5");
        String again = "{\"fields\":{\"maxAttempts\":7}}";
        assertThat(ok(post(path, again)).get("text").getAsString()).endsWith(": maxAttempts 5 to 7");
        assertThat(ok(post("/jobs/settle/remove-override", "{}")).get("text").getAsString())
                .contains("maxAttempts 7 to 3")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/jobs/settle/skip-fires|{\"to\":\"2026-01-01T02:00:00Z\"}",
                "/jobs/settle/resume|{\"catchUp\":false}"
            })
    void dryRunOfACommandWithoutAnOppositeSaysSo(String command) {
        String[] parts = command.split("\\|");
        assertThat(effects(parts[0], parts[1])).contains("this cannot be taken back: skipped fires do not come back");
    }

    private List<String> effects(String path, String body) {
        return ok(send("POST", BASE + path, "dryRun=true", body, Map.of())).getAsJsonArray("effects").asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void viewTellsThePageTheRoleOfTheCaller(Role role) {
        for (String path : List.of("", "/jobs", "/jobs/settle")) {
            Response response = send(new Everywhere(role), "GET", BASE + path, "", "", Map.of());
            assertThat(response.headers()).as(path).containsEntry("Ostraka-Role", role.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /jobs/none, 404, NOT_FOUND",
        "GET, /nothing, 404, NOT_FOUND",
        "DELETE, /jobs/settle, 405, METHOD_NOT_ALLOWED",
        "GET, /jobs/settle/pause, 405, METHOD_NOT_ALLOWED",
        "GET, /jobs/%zz, 400, BAD_REQUEST",
        "GET, /jobs/%00, 400, BAD_REQUEST",
        "GET, /jobs/%ff, 400, BAD_REQUEST",
        "GET, /jobs/.., 400, BAD_REQUEST",
        "GET, /jobs/%2e%2e, 400, BAD_REQUEST",
        "GET, //jobs, 400, BAD_REQUEST"
    })
    void badRequestIsRefusedWithACode(String method, String path, int status, String code) {
        Response response = send(method, BASE + path, "", "", Map.of());

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(json(response).get("code").getAsString()).isEqualTo(code);
        assertThat(response.headers().get("Content-Type")).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=x",
                "limit=%2B1",
                "limit=%D9%A1",
                "limit=1&limit=2",
                "sort=color",
                "state=BUSY",
                "after=%21",
                "x=1"
            })
    void unknownOrInvalidQueryNamesTheParameter(String query) {
        Response response = get("/jobs?" + query);

        assertThat(response.status()).isEqualTo(422);
        assertThat(json(response).get("field").getAsString()).isEqualTo(query.replaceFirst("=.*", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{", "{}{}", "{\"a\":1,\"a\":2}", "{'until':null}", "\"text\"", "{\"until\":NaN}"})
    void bodyThatIsNotOneJsonObjectIsRefused(String body) {
        assertThat(post("/jobs/settle/pause", body).status()).isEqualTo(400);
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void bodyThatIsNestedTooDeeplyIsRefused() {
        assertThat(post("/jobs/settle/pause", "{\"a\":" + "[".repeat(100_000)).status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "pause; {\"until\":7}; until",
                "pause; {\"reason\":7}; reason",
                "pause; {\"until\":\"tomorrow\"}; until",
                "set-override; {}; fields",
                "set-override; {\"fields\":{\"timeout\":\"soon\"}}; timeout",
                "set-override; {\"fields\":{\"jobName\":\"other\"}}; jobName",
                "set-override; {\"fields\":{\"maxAttempts\":0}}; maxAttempts",
                "disable-item; {}; item",
                "disable-item; {\"item\":\"0\",\"job\":\"other\"}; job",
                "trigger; {\"delay\":\"-PT1S\"}; delay",
                "trigger; {\"items\":[null]}; items",
                "trigger; {\"parameters\":{\"day\":null}}; parameters.day",
                "backfill; {\"from\":\"2025-12-31T20:00:00Z\"}; to"
            })
    void refusedValueIsNamed(String verb, String body, String field) {
        Response response = post("/jobs/settle/" + verb, body);

        assertThat(response.status()).as(response.text()).isEqualTo(422);
        assertThat(json(response).get("detail").getAsString()).contains(field);
        assertThat(operations.job("settle").version()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"cron\",\"expression\":\"never\",\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"expression\":\"0 0 3 * * ?\",\"zone\":\"Nowhere/Land\"}",
                "{\"type\":\"cron\",\"expression\":\"0 0 3 * * ?\",\"zone\":\"+99:99\"}",
                "{\"type\":\"cron\",\"expression\":\"0 0 3 * * ?\",\"zone\":7}",
                "{\"type\":\"cron\",\"expression\":\"\",\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"expression\":\"0 0 3 30 2 ? 1999\",\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"expression\":\"99999999999999999999 0 3 * * ?\",\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"expression\":{},\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"expression\":null,\"zone\":\"UTC\"}",
                "{\"type\":\"cron\",\"zone\":\"UTC\"}",
                "{\"type\":\"fixedRate\",\"period\":\"never\"}",
                "{\"type\":\"fixedRate\",\"period\":\"PT0S\"}",
                "{\"type\":\"fixedRate\",\"period\":\"PT9999999999999H\"}",
                "{\"type\":\"fixedRate\",\"period\":\"PT99999999999999999999H\"}",
                "{\"type\":\"fixedRate\",\"period\":7}",
                "{\"type\":\"fixedRate\"}",
                "{\"type\":\"fixedDelay\",\"delay\":[]}",
                "{\"type\":\"adaptive\",\"base\":\"PT1M\",\"bound\":1e99}",
                "{\"type\":\"adaptive\",\"base\":\"PT1M\",\"bound\":1.5}",
                "{\"type\":\"adaptive\",\"base\":\"PT1M\"}",
                "{\"type\":\"once\",\"at\":\"+999999999-12-31T23:59:59Z\"}",
                "{\"type\":\"once\",\"at\":\"-999999999-01-01T00:00:00Z\"}",
                "{\"type\":\"once\",\"at\":\"never\"}",
                "{\"type\":\"continuous\",\"idle\":\"-PT1S\"}",
                "{\"type\":\"continuous\",\"idle\":\"PT2562047788015215H\"}",
                "{\"type\":\"weekly\"}",
                "{\"type\":7}",
                "{}",
                "[]",
                "7",
                "\"never\""
            })
    void scheduleThatIsNotAcceptedIsInvalid(String schedule) {
        Response response = post("/jobs/settle/set-override", "{\"fields\":{\"schedule\":" + schedule + "}}");

        assertThat(response.status()).as(response.text()).isEqualTo(422);
    }

    @Test
    void unknownItemIsNotFound() {
        assertThat(get("/jobs/settle/items?item=nothing").status()).isEqualTo(404);
        assertThat(get("/jobs/settle/items/nothing/explanation").status()).isEqualTo(404);
        assertThat(json(get("/jobs/settle/items?item=nothing&item=0"))
                        .get("total")
                        .getAsInt())
                .isEqualTo(1);
    }

    @Test
    void bodyWithTooManyValuesIsRefused() {
        String values = "{\"reason\":[0" + ",0".repeat(Body.MOST_VALUES) + "]}";

        assertThat(post("/jobs/settle/pause", values).status()).isEqualTo(400);
        assertThat(post("/settings/diff", values).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "\"x\"", "W/\"1\"", "\"1\", \"2\"", "\"99999999999999999999\"", "\"-1\""})
    void malformedTagIsRefused(String tag) {
        Response response = send("POST", BASE + "/jobs/settle/pause", "", "{}", Map.of("If-Match", tag));

        assertThat(response.status()).isEqualTo(400);
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.ACTIVE);
    }

    /** Returns operations that only execute commands, with the given result. */
    private static Operations answering(Supplier<CommandResult> result) {
        return (Operations) Proxy.newProxyInstance(
                ApiTest.class.getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> result.get());
    }

    @Test
    void unknownOutcomeHasAStatusOfItsOwnAndTheIdForTheRepetition() {
        api = new Api(new Single(answering(() -> new CommandResult.Unknown("r-7", "no answer"))), false);

        Response response = post("/jobs/settle/pause", "{\"requestId\":\"r-7\"}");

        assertThat(response.status()).isEqualTo(504);
        assertThat(json(response).get("code").getAsString()).isEqualTo("OUTCOME_UNKNOWN");
        assertThat(json(response).get("requestId").getAsString()).isEqualTo("r-7");
    }

    @Test
    void absenceOfZooKeeperIsToldInWords() {
        api = new Api(
                new Single(answering(() -> {
                    throw new CoordinationException("could not pause: no answer from ZooKeeper");
                })),
                false);

        Response response = post("/jobs/settle/pause", "{}");

        assertThat(response.status()).isEqualTo(503);
        assertThat(json(response).get("detail").getAsString()).contains("no answer from ZooKeeper");
    }

    @Test
    void defectTellsNothingOfItsCause() {
        api = new Api(
                new Single(answering(() -> {
                    throw new IllegalStateException("password=hunter2");
                })),
                false);

        Response response = post("/jobs/settle/pause", "{}");

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).doesNotContain("hunter2");
    }

    @Test
    void exportedSettingsAreAppliedAgainWithoutADifference() {
        ok(post("/jobs/settle/pause", "{\"reason\":\"ticket 9\"}"));
        String settings = get("/settings").text();
        ok(post("/jobs/settle/resume", ""));

        assertThat(ok(post("/settings/diff", settings)).getAsJsonArray("differences"))
                .isNotEmpty();
        ok(post("/apply", "{\"document\":" + settings + "}"));

        assertThat(ok(post("/settings/diff", settings)).getAsJsonArray("differences"))
                .isEmpty();
        assertThat(operations.job("settle").summary().state()).isEqualTo(JobState.PAUSED);
    }
}
