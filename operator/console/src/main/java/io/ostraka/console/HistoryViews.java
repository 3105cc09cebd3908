package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.SkipReason;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.Operation;
import io.ostraka.core.tree.ValueJson;
import io.ostraka.history.Account;
import io.ostraka.history.jdbc.Cursor;
import io.ostraka.history.jdbc.HistorySchemaException;
import io.ostraka.history.jdbc.HourlyTimes;
import io.ostraka.history.jdbc.Page;
import io.ostraka.history.jdbc.RunSummary;
import io.ostraka.history.jdbc.RunTimes;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the views of the history, below {@code /api/v1/namespaces/{namespace}/history}. A list contains only rows of
 * jobs that the caller may see, so a page may have fewer rows than its limit.
 */
final class HistoryViews {
    private static final Logger log = LoggerFactory.getLogger(HistoryViews.class);
    private static final int MOST = 1000;
    private static final int PAGE = 100;
    private static final Set<String> PAGED = Set.of("limit", "after");
    private static final Set<String> PERIOD = Set.of("from", "to");
    private static final Set<String> PAGED_PERIOD = Set.of("limit", "after", "from", "to");
    private static final Map<String, Double> PERCENTILES = Map.of("p50", 0.5, "p95", 0.95, "p99", 0.99);

    private final HistorySource source;

    /** Answers a view. */
    @FunctionalInterface
    private interface View {
        Response answer(Call call) throws SQLException;
    }

    /** Reads the page that follows a cursor. */
    @FunctionalInterface
    private interface Pages<T> {
        Page<T> read(@Nullable Cursor after, int limit) throws SQLException;
    }

    /**
     * A route.
     *
     * @param segments segments of the path after {@code history}; a segment in braces is a variable
     * @param query names of the accepted query parameters
     */
    private record HistoryRoute(List<String> segments, Set<String> query, View view) {
        HistoryRoute(String path, Set<String> query, View view) {
            this(List.of(path.split("/")), query, view);
        }
    }

    HistoryViews(HistorySource source) {
        this.source = source;
    }

    private List<HistoryRoute> routes() {
        return List.of(
                new HistoryRoute("failures", PAGED, this::failures),
                new HistoryRoute("audit", PAGED, this::audit),
                new HistoryRoute("events", Set.of("limit", "after", "job"), this::events),
                new HistoryRoute("jobs/{job}/runs", PAGED, this::runs),
                new HistoryRoute("jobs/{job}/runs/{runId}", Set.of("fireTime", "limit", "after"), this::run),
                new HistoryRoute("jobs/{job}/skipped", PAGED, this::skipped),
                new HistoryRoute("jobs/{job}/run-times", PAGED_PERIOD, this::runTimes),
                new HistoryRoute("jobs/{job}/account", PERIOD, this::account));
    }

    /** Returns the paths after the namespace, with their query parameters, as in the OpenAPI document. */
    Map<String, Set<String>> paths() {
        Map<String, Set<String>> paths = new TreeMap<>();
        routes().forEach(route -> paths.put("/history/" + String.join("/", route.segments()), route.query()));
        return paths;
    }

    /** Returns the variables of the path; empty if there is no such route. */
    Optional<Map<String, String>> match(List<String> path) {
        return find(path).flatMap(route -> Route.match(route.segments(), path));
    }

    private Optional<HistoryRoute> find(List<String> path) {
        return routes().stream()
                .filter(route -> Route.match(route.segments(), path).isPresent())
                .findFirst();
    }

    /** Answers a call whose path {@link #match} accepts. The caller must be permitted to see the job of the path. */
    Response answer(List<String> path, Call call) {
        HistoryRoute route = find(path).orElseThrow();
        call.parameters().accept(route.query());
        try {
            return route.view().answer(call);
        } catch (SQLException | HistorySchemaException e) {
            log.debug("the history could not be read", e);
            throw new Problem(
                    Problem.Code.UNAVAILABLE,
                    e instanceof HistorySchemaException
                            ? "the tables of the history are not as this console needs them: " + e.getMessage()
                            : "the database of the history does not answer; try again, and look into the log of the"
                                    + " console");
        }
    }

    private Response runs(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        return Response.json(
                200,
                page(
                        "runs",
                        call,
                        (after, limit) -> queries.runs(job(call), after, limit),
                        run -> true,
                        ValueJson::write));
    }

    private Response run(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        String runId = call.parameters().variable("runId");
        Optional<Instant> given = call.parameters().time("fireTime");
        Optional<Instant> fireTime = given.isPresent() ? given : queries.fireTime(job(call), runId);
        RunSummary run = (fireTime.isEmpty()
                        ? Optional.<RunSummary>empty()
                        : queries.run(job(call), runId, fireTime.get()))
                .orElseThrow(() -> new Problem(
                        Problem.Code.NOT_FOUND,
                        "run '" + runId + "' of job '" + job(call)
                                + "' is not in the history; check the id, or whether the level of the job's history"
                                + " keeps such runs"));
        JsonObject json = page(
                "claims",
                call,
                (after, limit) -> queries.claimsOfRun(job(call), run.runId(), run.fireTime(), after, limit),
                claim -> true,
                ValueJson::write);
        json.add("run", ValueJson.write(run));
        return Response.json(200, json);
    }

    private Response failures(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        return Response.json(
                200,
                page(
                        "failures",
                        call,
                        queries::failures,
                        (ClaimReport claim) -> call.sees(claim.job()),
                        ValueJson::write));
    }

    private Response skipped(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        JsonObject json = page(
                "skipped",
                call,
                (after, limit) -> queries.skipped(job(call), after, limit),
                skip -> true,
                ValueJson::write);
        explain(json.getAsJsonArray("skipped"), "from", call);
        return Response.json(200, json);
    }

    /**
     * Adds the causes of fires that could not start in time, if the latest steps of the audit show them.
     *
     * @param first name of the member that has the time of the first fire
     */
    private void explain(JsonArray rows, String first, Call call) throws SQLException {
        List<JsonObject> misfired = rows.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(row -> new JsonPrimitive(SkipReason.MISFIRED.name()).equals(row.get("reason")))
                .toList();
        if (misfired.isEmpty()) {
            return;
        }
        List<AuditEntry> steps =
                source.queries(call.namespace()).audit(null, MOST).rows();
        List<Suspension> suspensions = Suspension.of(job(call), steps);
        for (JsonObject row : misfired) {
            Instant from = Instant.parse(row.get(first).getAsString());
            Instant to = Instant.parse(row.get("to").getAsString());
            suspensions.stream()
                    .filter(each -> each.covers(from, to))
                    .findFirst()
                    .ifPresent(each -> row.add("cause", ValueJson.write(each)));
        }
    }

    private Response runTimes(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        Instant from = required(call, "from");
        Instant to = required(call, "to");
        return Response.json(
                200,
                page(
                        "hours",
                        call,
                        (after, limit) -> queries.runTimes(job(call), from, to, after, limit),
                        hour -> true,
                        HistoryViews::hour));
    }

    private static JsonElement hour(HourlyTimes hour) {
        RunTimes times = hour.times();
        JsonObject json = ValueJson.write(hour).getAsJsonObject();
        json.addProperty("count", times.count());
        PERCENTILES.forEach(
                (name, share) -> times.percentile(share).ifPresent(time -> json.addProperty(name, time.toString())));
        return json;
    }

    private Response audit(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        return Response.json(
                200,
                page("steps", call, queries::audit, (AuditEntry step) -> call.sees(jobOf(step)), ValueJson::write));
    }

    private Response events(Call call) throws SQLException {
        var queries = source.queries(call.namespace());
        Optional<String> job = call.parameters().text("job");
        return Response.json(
                200,
                page(
                        "events",
                        call,
                        (after, limit) -> job.isPresent()
                                ? queries.events(job.get(), after, limit)
                                : queries.events(after, limit),
                        (HistoryEvent event) -> call.sees(event.job()),
                        ValueJson::write));
    }

    /** Returns the job of a command; null if the command concerns the namespace, or if its operation is not known. */
    private static @Nullable String jobOf(AuditEntry step) {
        for (Operation operation : Operation.values()) {
            Class<? extends Command> command = operation.command();
            if (command != null
                    && operation.name().equals(step.operation())
                    && Command.OfJob.class.isAssignableFrom(command)) {
                return step.target();
            }
        }
        return null;
    }

    private Response account(Call call) throws SQLException {
        Account account =
                source.accounts(call.namespace()).account(job(call), required(call, "from"), required(call, "to"));
        JsonObject json = ValueJson.write(account).getAsJsonObject();
        json.addProperty("complete", account.complete());
        explain(json.getAsJsonArray("entries"), "to", call); // an entry begins after an earlier fire
        return Response.json(200, json);
    }

    private static String job(Call call) {
        return call.parameters().variable("job");
    }

    private static Instant required(Call call, String name) {
        return call.parameters().time(name).orElseThrow(() -> new Problem(
                        Problem.Code.INVALID,
                        "the query parameter '" + name + "' is missing; accepted: a time such as"
                                + " 2026-01-31T22:00:00Z")
                .with("field", name));
    }

    private static <T> JsonObject page(
            String name, Call call, Pages<T> pages, Predicate<T> visible, Function<T, JsonElement> write)
            throws SQLException {
        int limit = call.parameters().number("limit", 1, MOST, PAGE);
        Cursor after = call.parameters()
                .parsed("after", "the 'next' of an earlier page", Cursor::parse)
                .orElse(null);
        Page<T> page = pages.read(after, limit);
        JsonArray rows = new JsonArray();
        page.rows().stream().filter(visible).map(write).forEach(rows::add);
        JsonObject json = new JsonObject();
        json.add(name, rows);
        if (page.next() != null) {
            json.addProperty("next", page.next().text());
        }
        return json;
    }
}
