package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.Repository;
import io.ostraka.history.Accounts;
import io.ostraka.history.History;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.row.AuditEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HistoryViewsTest {
    private static final String HISTORY = Routes.NAMESPACES + "/orders/history";

    @TempDir
    Path directory;

    private final JdbcDataSource database = new JdbcDataSource();
    private History history;
    private Api api;

    /** Has a role for the jobs, and for null, that a predicate accepts. */
    private record Limited(BiPredicate<String, @Nullable String> accepts) implements Caller {
        @Override
        public String name() {
            return "ann";
        }

        @Override
        public String origin() {
            return "test";
        }

        @Override
        public boolean has(Role role, String namespace, @Nullable String job) {
            return role == Role.VIEWER && accepts.test(namespace, job);
        }

        @Override
        public boolean sees(String namespace) {
            return namespace.equals("orders");
        }
    }

    private record Context() implements SubscriberContext {
        @Override
        public String namespace() {
            return "orders";
        }

        @Override
        public Load load() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void problem(@Nullable String text) {}
    }

    private final class Source implements HistorySource, Namespaces {
        @Override
        public Queries queries(String namespace) throws SQLException {
            return history.queries();
        }

        @Override
        public Accounts accounts(String namespace) throws SQLException {
            throw new SQLException("the database at db.internal does not answer");
        }

        @Override
        public List<String> names() {
            return List.of("billing", "orders");
        }

        @Override
        public Optional<Operations> operations(String namespace) {
            return names().contains(namespace) ? Optional.of(EmbeddedOnly.unused()) : Optional.empty();
        }
    }

    @BeforeEach
    void open() {
        database.setURL("jdbc:h2:mem:" + directory.getFileName() + ";DB_CLOSE_DELAY=-1");
        history = History.newBuilder(database, directory).build();
        history.started(new Context());
        Source source = new Source();
        api = new Api(source, false, source);
    }

    @AfterEach
    void close() {
        history.close();
    }

    private Response get(String path, Caller caller) {
        int question = path.indexOf('?');
        return api.handle(
                new Request(
                        "GET",
                        question < 0 ? path : path.substring(0, question),
                        question < 0 ? "" : path.substring(question + 1),
                        Map.of(),
                        new byte[0],
                        "test",
                        false),
                caller);
    }

    private static JsonObject json(Response response) {
        return JsonParser.parseString(response.text()).getAsJsonObject();
    }

    private void audit(String operation, String target) {
        history.audit(
                null,
                new AuditEntry(Instant.now(), "request", "bob", "test", "ADMIN", operation, target, "", "", "DONE"));
    }

    private List<String> targets(Caller caller) {
        List<String> targets = new ArrayList<>();
        JsonArray steps = json(get(HISTORY + "/audit", caller)).getAsJsonArray("steps");
        steps.forEach(step -> targets.add(step.getAsJsonObject().get("target").getAsString()));
        return targets;
    }

    @Test
    void auditShowsOnlyWhatTheCallerMaySee() {
        audit("PAUSE", "settle");
        audit("PAUSE", "invoice");
        audit("EVICT_INSTANCE", "settle"); // an instance with the name of a job
        audit("OF_A_LATER_VERSION", "settle");
        Caller everything = new Limited((namespace, job) -> true);
        Eventually.holds("rows in the database", () -> targets(everything).size() == 4);

        assertThat(targets(new Limited((namespace, job) -> "settle".equals(job))))
                .containsExactly("settle");
        assertThat(targets(new Limited((namespace, job) -> job == null))).containsExactly("settle", "settle");
        assertThat(targets(new Limited((namespace, job) -> false))).isEmpty();
    }

    @Test
    void skippedFiresOfAPauseNameThePause() {
        Instant paused = Instant.now().minusSeconds(3600);
        history.audit(
                null,
                new AuditEntry(
                        paused, "p", "bob", "", "", "PAUSE", "settle", "ticket 7", "until=null", "APPLIED: paused"));
        history.on(List.of(
                skipped("0", paused.plusSeconds(60), SkipReason.MISFIRED),
                skipped("1", paused.minusSeconds(60), SkipReason.MISFIRED),
                skipped("2", paused.plusSeconds(60), SkipReason.OVERLAPPED)));
        Caller settle = new Limited((namespace, job) -> "settle".equals(job));
        Supplier<List<JsonObject>> rows =
                () -> json(get(HISTORY + "/jobs/settle/skipped", settle)).getAsJsonArray("skipped").asList().stream()
                        .map(JsonElement::getAsJsonObject)
                        .toList();
        Eventually.holds(
                "rows in the database",
                () -> rows.get().size() == 3 && rows.get().stream().anyMatch(row -> row.has("cause")));

        JsonObject known =
                rows.get().stream().filter(row -> row.has("cause")).findFirst().orElseThrow();
        assertThat(known.get("item").getAsString()).isEqualTo("0");
        assertThat(known.getAsJsonObject("cause").toString())
                .contains("\"state\":\"PAUSED\"", "\"by\":\"bob\"", "\"reason\":\"ticket 7\"")
                .doesNotContain("\"to\"");
        assertThat(rows.get()).filteredOn(row -> row.has("cause")).hasSize(1);
        new DocumentedAnswers()
                .check("GET", HISTORY + "/jobs/settle/skipped", get(HISTORY + "/jobs/settle/skipped", settle));
    }

    private static FiresSkipped skipped(String item, Instant fire, SkipReason reason) {
        Instant before = fire.minusSeconds(60);
        return new FiresSkipped(
                "settle", item, 1, before, null, fire, fire, 1, reason, before, fire, "a@1@2", Instant.now());
    }

    @Test
    void everyRouteOfAJobNeedsARoleForTheJob() {
        Caller settle = new Limited((namespace, job) -> "settle".equals(job));
        for (String path : new HistoryViews(new Source()).paths().keySet()) {
            String full = Routes.NAMESPACES + "/orders" + path.replace("{runId}", "r");
            if (path.contains("{job}")) {
                assertThat(get(full.replace("{job}", "invoice"), settle).status())
                        .as(path)
                        .isEqualTo(403);
            }
            assertThat(get(full.replace("{job}", "settle"), settle).status())
                    .as(path)
                    .isIn(200, 404, 422, 503);
            assertThat(get(full.replace("/orders/", "/billing/").replace("{job}", "settle"), settle)
                            .status())
                    .as("%s of a hidden namespace", path)
                    .isEqualTo(404);
        }
    }

    @Test
    void databaseThatDoesNotAnswerIsAProblemWithoutItsAddress() {
        Response response = get(
                HISTORY + "/jobs/settle/account?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z",
                new Limited((namespace, job) -> true));

        assertThat(response.status()).isEqualTo(503);
        assertThat(response.text()).doesNotContain("db.internal");
    }

    @Test
    void cursorOfAnotherListIsRefused() {
        String cursor = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("[\"JOBS\",\"a\"]".getBytes(StandardCharsets.UTF_8));

        Response response = get(HISTORY + "/audit?after=" + cursor, new Limited((namespace, job) -> true));

        assertThat(response.status()).isEqualTo(422);
    }

    @Test
    void documentListsAllRoutes() throws Exception {
        String document = Files.readString(Repository.page("console.md"));

        new HistoryViews(new Source()).paths().keySet().forEach(path -> assertThat(document)
                .containsPattern("\\| `" + Pattern.quote(path.substring("/history".length())) + "[`?]"));
    }
}
