package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Role;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.fixtures.Repository;
import io.ostraka.history.Account;
import io.ostraka.history.Accounts;
import io.ostraka.history.jdbc.HourlyTimes;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.jdbc.RunSummary;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Skipped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Generates the OpenAPI document: paths and roles from the routes, schemas from the records, and descriptions from the
 * records' Javadoc.
 */
final class OpenApiGenerator {
    private static final Path SOURCES = Repository.sources("job-api");
    private static final Path HISTORY_SOURCES = Repository.sources("extensions/history");
    private static final Path CONSOLE_SOURCES = Repository.sources("operator/console");
    private static final Pattern PARAM =
            Pattern.compile("\\* @param (\\w+) ((?:(?!\\n \\s*\\* @|\\n \\s*\\*/)[\\s\\S])*)");
    private static final Set<Class<?>> OPAQUE = Set.of(Schedule.class, MisfirePolicy.class, OverlapPolicy.class);

    /** The record in the answer of a view, and the name of the list that contains it; an empty name for no list. */
    private record Answer(String list, Class<?> type) {}

    private static final Map<Operation, Answer> ANSWERS = Map.ofEntries(
            Map.entry(Operation.NAMESPACE, new Answer("", NamespaceDetails.class)),
            Map.entry(Operation.JOBS, new Answer("jobs", JobSummary.class)),
            Map.entry(Operation.ACTIVITY, new Answer("activity", JobActivity.class)),
            Map.entry(Operation.JOB, new Answer("", JobDetails.class)),
            Map.entry(Operation.ITEMS, new Answer("items", ItemDetails.class)),
            Map.entry(Operation.EXPLAIN, new Answer("explanation", String.class)),
            Map.entry(Operation.RUN, new Answer("", RunDetails.class)),
            Map.entry(Operation.BACKFILLS, new Answer("backfills", BackfillDetails.class)),
            Map.entry(Operation.ALARMS, new Answer("alarms", AlarmDetails.class)),
            Map.entry(Operation.PROBLEMS, new Answer("problems", io.ostraka.api.operations.Problem.class)),
            Map.entry(Operation.INSTANCES, new Answer("instances", InstanceDetails.class)),
            Map.entry(Operation.NEXT_FIRES, new Answer("fires", Instant.class)),
            Map.entry(Operation.FORECAST, new Answer("", Forecast.class)),
            Map.entry(Operation.EXPORT, new Answer("", Object.class)),
            Map.entry(Operation.DIFF, new Answer("differences", String.class)));

    private static final Set<Operation> PAGED = Set.of(Operation.JOBS, Operation.ITEMS);

    private static final Map<String, String> QUERY = Map.ofEntries(
            Map.entry("search", "Part of the job's name, in any case."),
            Map.entry("state", "State of the job; several are accepted."),
            Map.entry("problems", "True for jobs with health reasons only."),
            Map.entry("sort", "One of items, name, nextFire, problems, state."),
            Map.entry("limit", "Length of the page, 1 to 1,000; 100 by default."),
            Map.entry("after", "The next of the page before."),
            Map.entry("job", "Name of a job; several are accepted."),
            Map.entry("item", "Key of an item; several are accepted."),
            Map.entry("firing", "True for alarms that last only."),
            Map.entry("count", "Number of fires, 1 to 1,000; 10 by default."),
            Map.entry("from", "Start of the period; now by default."),
            Map.entry("slot", "Length of each part, such as PT15M, the default."),
            Map.entry("slots", "Number of parts, 1 to 1,440; 96 by default."),
            Map.entry("dryRun", "True to return the expected effects and change nothing."));

    /** Summaries of the views of the history, by the last segment of the path. */
    private static final Map<String, String> HISTORY = Map.of(
            "failures", "Lists the failed claims of all jobs, the latest first.",
            "audit", "Lists the steps of commands, the latest first.",
            "events",
                    "Lists the events, such as takeovers, new leaders, and the beginning and the end of alarms, the latest"
                            + " first.",
            "runs", "Lists the fires of a job, the latest first.",
            "{runId}", "Shows a fire with its claims.",
            "skipped", "Lists the skipped fires of a job, the latest first.",
            "run-times", "Shows the run times of a job for each hour.",
            "account", "Shows the fate of each fire of a job.");

    private static final Map<String, String> HISTORY_IDS = Map.of(
            "failures", "Failures",
            "audit", "Audit",
            "events", "Events",
            "runs", "Runs",
            "{runId}", "Run",
            "skipped", "Skipped",
            "run-times", "RunTimes",
            "account", "Account");

    private static final Map<String, String> HISTORY_QUERY = Map.of(
            "job", "Name of a job, whose events alone are listed.",
            "from", "Start of the period.",
            "to", "End of the period.",
            "fireTime",
                    "Fire time of the run, as in the list of runs; needed only if the history does not know the id.");

    private static final Map<String, String> EVENT_QUERY = Map.of(
            "job", "Name of a job whose items and activity the client displays; up to " + EventRequest.MOST_JOBS + ".",
            "show",
                    "Name of another job that the client displays; up to " + EventRequest.MOST_SHOWN
                            + ". Without names, the client gets the events of all jobs.",
            "lastEventId", "The same as the header Last-Event-ID, which replaces it.");

    private static final Set<String> PERIOD = Set.of("from", "to");

    private static final Set<String> REPEATED = Set.of("state", "job", "item", "show");

    private final JsonObject schemas = new JsonObject();

    JsonObject generate() {
        JsonObject document = new JsonObject();
        document.addProperty("openapi", "3.1.0");
        document.add(
                "info",
                object(
                        "title", "Ostraka",
                        "version", "1",
                        "description",
                                "All operations of a namespace. Every change has an actor, who is the authenticated"
                                        + " caller, a reason, and a requestId under which it can be repeated safely."));
        JsonObject paths = new JsonObject();
        paths.add(Routes.NAMESPACES, namespaces());
        Map<String, JsonObject> byPath = new TreeMap<>();
        for (Route route : new Routes().all()) {
            byPath.computeIfAbsent(Routes.NAMESPACES + "/{namespace}" + route.path(), first -> new JsonObject())
                    .add(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        new HistoryViews(new NoHistory())
                .paths()
                .forEach((path, query) -> byPath.put(Routes.NAMESPACES + "/{namespace}" + path, history(path, query)));
        byPath.put(EventRoutes.PATH, events());
        byPath.forEach(paths::add);
        paths.add(SecuredApi.SESSION, session());
        paths.add(SecuredApi.SESSIONS, sessions());
        paths.add(SecuredApi.SESSIONS + "/{id}", endOfSession());
        paths.add(OpenApi.PATH, itself());
        document.add("paths", paths);
        schemas.add("Error", problem());
        JsonObject components = new JsonObject();
        components.add("schemas", schemas);
        JsonObject schemes = new JsonObject();
        schemes.add("token", object("type", "http", "scheme", "bearer"));
        schemes.add(
                "session",
                object(
                        "type",
                        "apiKey",
                        "in",
                        "cookie",
                        "name",
                        "__Host-ostraka",
                        "description",
                        "If the address of the console has a port, a hyphen and the port follow the name"));
        components.add("securitySchemes", schemes);
        document.add("components", components);
        JsonArray security = new JsonArray();
        for (String scheme : List.of("token", "session")) {
            JsonObject needed = new JsonObject();
            needed.add(scheme, new JsonArray());
            security.add(needed);
        }
        document.add("security", security);
        return document;
    }

    private JsonObject namespaces() {
        JsonObject names = new JsonObject();
        names.add("namespaces", array(object("type", "string")));
        JsonObject get =
                object("operationId", "namespaces", "summary", "Lists the namespaces that the caller may see.");
        get.add("responses", responses(200, struct(names, List.of("namespaces"))));
        return path("get", get);
    }

    private static JsonObject events() {
        JsonObject get = object(
                "operationId", "events",
                "summary", "Streams live events, without an end.",
                "description",
                        "The events are in docs/rest-events.md. A caller gets only events of jobs that it may see.",
                "x-ostraka-role", Role.VIEWER.name());
        JsonArray parameters = variables("{namespace}");
        EventRoutes.QUERY.stream().sorted().forEach(name -> parameters.add(query(name, EVENT_QUERY)));
        JsonObject last = object(
                "name", "Last-Event-ID",
                "in", "header",
                "description", "Id of the last event that the client has received, to get those that it missed.");
        last.add("schema", object("type", "string"));
        parameters.add(last);
        get.add("parameters", parameters);
        JsonObject responses = responses(200, object("type", "string"));
        JsonObject types = responses.getAsJsonObject("200").getAsJsonObject("content");
        types.add("text/event-stream", types.remove("application/json"));
        get.add("responses", responses);
        return path("get", get);
    }

    /** Describes the session. In an application, which has its own sessions, it only shows the caller. */
    private static JsonObject session() {
        JsonObject caller = new JsonObject();
        caller.add("name", object("type", "string"));
        caller.add("origin", object("type", "string", "description", "Way in which the caller was authenticated."));
        caller.add("grants", array(object("type", "string")));
        JsonObject console = new JsonObject();
        console.add("version", object("type", "string"));
        console.add("history", object("type", "boolean", "description", "True if the console has a history."));
        console.add("playground", object("type", "boolean", "description", "True if the console has faults to try."));
        console.add("logs", object("type", "string", "description", "Template of a link to the logs of a run."));
        caller.add("console", struct(console, List.of("version", "history")));
        JsonObject shown = struct(caller, List.of("name", "origin", "grants", "console"));
        JsonObject credentials = new JsonObject();
        credentials.add("user", object("type", "string"));
        credentials.add("password", object("type", "string"));

        JsonObject path = new JsonObject();
        JsonObject post = object(
                "operationId", "login",
                "summary", "Logs in, and starts a session with a cookie. Only in the console's own process.");
        post.add("security", new JsonArray());
        post.add("requestBody", content(true, struct(credentials, List.of("user", "password"))));
        post.add("responses", responses(200, shown));
        path.add("post", post);
        JsonObject get = object("operationId", "caller", "summary", "Shows the caller.");
        get.add("responses", responses(200, shown));
        path.add("get", get);
        JsonObject delete =
                object("operationId", "logout", "summary", "Ends the session. Only in the console's own process.");
        JsonObject responses = responses(200, shown);
        responses.remove("200");
        responses.add("204", object("description", "The session has ended."));
        delete.add("responses", responses);
        path.add("delete", delete);
        return path;
    }

    /** Describes the list of sessions, which only the console's own process has. */
    private static JsonObject sessions() {
        JsonObject session = new JsonObject();
        session.add("id", object("type", "string", "description", "Name of the session, which is no credential."));
        session.add("user", object("type", "string"));
        session.add("client", object("type", "string", "description", "Address of the client at the login."));
        session.add("start", object("type", "string", "format", "date-time"));
        session.add("used", object("type", "string", "format", "date-time", "description", "Time of the last use."));
        session.add("current", object("type", "boolean", "description", "True for the session of this request."));
        JsonObject list = new JsonObject();
        list.add("sessions", array(struct(session, List.copyOf(session.keySet()))));
        JsonObject get = object(
                "operationId",
                "sessions",
                "summary",
                "Lists the caller's sessions; for an administrator of all namespaces, those of all users. Only in the"
                        + " console's own process.");
        get.add("responses", responses(200, struct(list, List.of("sessions"))));
        return path("get", get);
    }

    private static JsonObject endOfSession() {
        JsonObject delete = object(
                "operationId", "endSession",
                "summary", "Ends a session of the list. Only in the console's own process.");
        delete.add("parameters", variables("{id}"));
        JsonObject responses = responses(200, new JsonObject());
        responses.remove("200");
        responses.add("204", object("description", "The session has ended."));
        delete.add("responses", responses);
        return path("delete", delete);
    }

    private static JsonObject itself() {
        JsonObject get = object("operationId", "openApi", "summary", "Shows this document.");
        get.add("responses", responses(200, object("type", "object")));
        return path("get", get);
    }

    private static JsonObject path(String method, JsonObject operation) {
        JsonObject path = new JsonObject();
        path.add(method, operation);
        return path;
    }

    /** Is enough to list the routes. */
    private record NoHistory() implements HistorySource {
        @Override
        public Queries queries(String namespace) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Accounts accounts(String namespace) {
            throw new UnsupportedOperationException();
        }
    }

    private JsonObject history(String path, Set<String> query) {
        String last = path.substring(path.lastIndexOf('/') + 1);
        JsonObject get = object(
                "operationId", "history" + HISTORY_IDS.get(last),
                "summary", HISTORY.get(last),
                "x-ostraka-role", Role.VIEWER.name());
        JsonArray parameters = variables("{namespace}" + path);
        query.stream().sorted().forEach(name -> {
            JsonObject parameter = object(
                    "name", name, "in", "query", "description", HISTORY_QUERY.getOrDefault(name, QUERY.get(name)));
            if (PERIOD.contains(name)) {
                parameter.addProperty("required", true);
            }
            parameter.add("schema", object("type", "string"));
            parameters.add(parameter);
        });
        get.add("parameters", parameters);
        get.add("responses", responses(200, history(last)));
        JsonObject methods = new JsonObject();
        methods.add("get", get);
        return methods;
    }

    private JsonObject history(String last) {
        return switch (last) {
            case "failures" -> historyPage("failures", schema(ClaimReport.class));
            case "audit" -> historyPage("steps", schema(AuditEntry.class));
            case "events" -> historyPage("events", schema(HistoryEvent.class));
            case "runs" -> historyPage("runs", schema(RunSummary.class));
            case "skipped" -> historyPage("skipped", withCause(Skipped.class, "Skipped"));
            case "run-times" -> historyPage("hours", hour());
            case "account" -> {
                JsonObject members = components(Account.class);
                members.add("complete", object("type", "boolean"));
                withCause(Account.Entry.class, "AccountEntry");
                yield struct(members, List.of("job", "from", "to", "entries", "complete"));
            }
            default -> {
                JsonObject page = historyPage("claims", schema(ClaimReport.class));
                page.getAsJsonObject("properties").add("run", schema(RunSummary.class));
                yield page;
            }
        };
    }

    /** Returns the schema of skipped fires, to which the views add a member. */
    private JsonObject withCause(Class<?> type, String name) {
        JsonObject reference = schema(type);
        schemas.getAsJsonObject(name)
                .getAsJsonObject("properties")
                .add(
                        "cause",
                        described(
                                schema(Suspension.class),
                                "Pause or freeze that explains the reason MISFIRED, if known."));
        return reference;
    }

    private JsonObject hour() {
        JsonObject members = components(HourlyTimes.class);
        members.add("count", schema(long.class));
        List.of("p50", "p95", "p99").forEach(name -> members.add(name, schema(Duration.class)));
        return struct(members, List.of("hour", "times", "count"));
    }

    private static JsonObject historyPage(String list, JsonObject element) {
        JsonObject members = new JsonObject();
        members.add(list, array(element));
        members.add(
                "next",
                object("type", "string", "description", "Value of after for the next page; absent on the last."));
        return struct(members, List.of(list));
    }

    private JsonObject components(Class<?> type) {
        Map<String, String> described = params(type);
        JsonObject members = new JsonObject();
        for (RecordComponent component : type.getRecordComponents()) {
            members.add(
                    component.getName(),
                    described(schema(component.getGenericType()), described.get(component.getName())));
        }
        return members;
    }

    private static JsonArray variables(String path) {
        JsonArray parameters = new JsonArray();
        Matcher variables = Pattern.compile("\\{(\\w+)}").matcher(path);
        while (variables.find()) {
            JsonObject parameter = object("name", variables.group(1), "in", "path");
            parameter.addProperty("required", true);
            parameter.add("schema", object("type", "string"));
            parameters.add(parameter);
        }
        return parameters;
    }

    private JsonObject operation(Route route) {
        Operation operation = route.operation();
        JsonObject json = object(
                "operationId", camel(operation.name()),
                "summary", operation.summary(),
                "x-ostraka-role", operation.role().name());
        JsonArray parameters = variables("{namespace}" + route.path());
        route.query().stream().sorted().forEach(name -> parameters.add(query(name, QUERY)));
        if (operation.changes()) {
            JsonObject match = object(
                    "name", "If-Match",
                    "in", "header",
                    "description",
                            "The version that the caller has seen, in double quotes. A newer version is a conflict.");
            match.add("schema", object("type", "string"));
            parameters.add(match);
        }
        json.add("parameters", parameters);
        Class<? extends Command> command = operation.command();
        if (command != null) {
            json.add("requestBody", content(false, body(command, operation)));
            json.add("responses", responses(200, result()));
        } else {
            if (operation == Operation.DIFF) {
                json.add("requestBody", content(true, object("type", "object")));
            }
            json.add("responses", responses(200, answer(operation)));
        }
        return json;
    }

    private static JsonObject query(String name, Map<String, String> descriptions) {
        String description = descriptions.get(name);
        if (description == null) {
            throw new IllegalStateException("describe the query parameter " + name);
        }
        JsonObject parameter = object("name", name, "in", "query", "description", description);
        JsonObject text = object("type", "string");
        parameter.add("schema", REPEATED.contains(name) ? array(text) : text);
        return parameter;
    }

    private JsonObject answer(Operation operation) {
        Answer answer = ANSWERS.get(operation);
        if (answer == null) {
            throw new IllegalStateException("describe the answer of " + operation);
        }
        if (answer.list().isEmpty()) {
            return schema(answer.type());
        }
        JsonObject members = new JsonObject();
        boolean single = operation == Operation.EXPLAIN;
        members.add(answer.list(), single ? schema(answer.type()) : array(schema(answer.type())));
        if (PAGED.contains(operation)) {
            members.add("total", object("type", "integer", "description", "Length of the whole list."));
            members.add(
                    "next",
                    object("type", "string", "description", "Value of after for the next page; absent on the last."));
        }
        return struct(members, PAGED.contains(operation) ? List.of(answer.list(), "total") : List.of(answer.list()));
    }

    private JsonObject body(Class<? extends Command> command, Operation operation) {
        JsonObject members = new JsonObject();
        Map<String, String> described = params(command);
        JsonArray required = new JsonArray();
        for (RecordComponent component : command.getRecordComponents()) {
            String name = component.getName();
            if (!name.equals("job")) {
                members.add(name, described(schema(component.getGenericType()), described.get(name)));
                if (!nullable(component) && !CommandBody.defaults(operation).containsKey(name)) {
                    required.add(name);
                }
            }
        }
        members.add("reason", object("type", "string", "description", "Reason for the change."));
        members.getAsJsonObject("reason").addProperty("maxLength", 500);
        members.add(
                "requestId",
                object(
                        "type",
                        "string",
                        "description",
                        "Identity of the request. A request with an id that an earlier one had changes nothing. For a"
                                + " trigger it is the id of the run."));
        JsonObject schema = object("type", "object");
        schema.add("properties", members);
        if (!required.isEmpty()) {
            schema.add("required", required);
        }
        schema.addProperty("additionalProperties", false);
        return schema;
    }

    private JsonObject result() {
        if (!schemas.has("CommandResult")) {
            JsonObject members = new JsonObject();
            JsonObject outcome = object("type", "string");
            JsonArray outcomes = new JsonArray();
            List.of("APPLIED", "UNCHANGED", "PREVIEW").forEach(outcomes::add);
            outcome.add("enum", outcomes);
            members.add("outcome", outcome);
            members.add("operation", object("type", "string"));
            members.add("requestId", object("type", "string"));
            members.add("text", object("type", "string", "description", "Description for people."));
            Map<String, String> applied = params(CommandResult.Applied.class);
            members.add("version", described(schema(long.class), applied.get("version")));
            members.add("created", described(schema(String.class), applied.get("created")));
            members.add(
                    "effects",
                    described(
                            array(object("type", "string")),
                            params(CommandResult.Preview.class).get("effects")));
            schemas.add(
                    "CommandResult", struct(members, List.of("outcome", "operation", "requestId", "text", "version")));
        }
        return reference("CommandResult");
    }

    private static JsonObject problem() {
        JsonObject members = new JsonObject();
        members.add("type", object("type", "string"));
        members.add("title", object("type", "string"));
        members.add("status", object("type", "integer"));
        JsonObject code = object("type", "string");
        JsonArray codes = new JsonArray();
        for (Problem.Code each : Problem.Code.values()) {
            codes.add(each.name());
        }
        code.add("enum", codes);
        members.add("code", code);
        members.add("detail", object("type", "string", "description", "What happened, and what the caller should do."));
        members.add("field", object("type", "string", "description", "Name of the refused value."));
        members.add("version", object("type", "integer", "description", "Present version, after a conflict."));
        members.add("requestId", object("type", "string", "description", "Id with which to repeat the request."));
        JsonObject schema = struct(members, List.of("type", "title", "status", "code", "detail"));
        schema.addProperty("additionalProperties", true);
        return schema;
    }

    private static JsonObject responses(int status, JsonObject schema) {
        JsonObject success = content(false, schema);
        success.remove("required");
        success.addProperty("description", "Success.");
        JsonObject failure = new JsonObject();
        failure.addProperty("description", "A problem according to RFC 9457.");
        JsonObject media = new JsonObject();
        media.add("schema", reference("Error"));
        JsonObject types = new JsonObject();
        types.add("application/problem+json", media);
        failure.add("content", types);
        JsonObject responses = new JsonObject();
        responses.add(String.valueOf(status), success);
        responses.add("default", failure);
        return responses;
    }

    private static JsonObject content(boolean required, JsonObject schema) {
        JsonObject media = new JsonObject();
        media.add("schema", schema);
        JsonObject types = new JsonObject();
        types.add("application/json", media);
        JsonObject content = new JsonObject();
        content.addProperty("required", required);
        content.add("content", types);
        return content;
    }

    private JsonObject schema(Type type) {
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            Type[] arguments = generic.getActualTypeArguments();
            if (Map.class.isAssignableFrom(raw)) {
                JsonObject map = object("type", "object");
                map.add("additionalProperties", schema(arguments[1]));
                return map;
            } else if (Collection.class.isAssignableFrom(raw)) {
                return array(schema(arguments[0]));
            }
            throw new IllegalStateException("describe " + type);
        }
        Class<?> raw = (Class<?>) type;
        if (raw == String.class) {
            return object("type", "string");
        } else if (raw == Instant.class) {
            return object("type", "string", "format", "date-time");
        } else if (raw == Duration.class) {
            return object("type", "string", "format", "duration");
        } else if (raw == boolean.class || raw == Boolean.class) {
            return object("type", "boolean");
        } else if (raw == int.class || raw == Integer.class) {
            return object("type", "integer", "format", "int32");
        } else if (raw == long.class || raw == Long.class) {
            return object("type", "integer", "format", "int64");
        } else if (raw == double.class) {
            return object("type", "number");
        } else if (raw == Object.class) {
            return new JsonObject();
        } else if (raw == Command.class) {
            return object("type", "object", "description", "Values of the command, as in the body of its request.");
        } else if (raw.isEnum()) {
            JsonObject names = object("type", "string");
            JsonArray values = new JsonArray();
            for (Object each : raw.getEnumConstants()) {
                values.add(((Enum<?>) each).name());
            }
            names.add("enum", values);
            return names;
        } else if (OPAQUE.contains(raw)) {
            JsonObject members = new JsonObject();
            members.add("type", object("type", "string"));
            JsonObject schema = struct(members, List.of("type"));
            schema.addProperty("additionalProperties", true);
            return schema;
        } else if (raw.isRecord()) {
            return record(raw);
        }
        throw new IllegalStateException("describe " + type);
    }

    private JsonObject record(Class<?> type) {
        String name = type.getEnclosingClass() == null
                ? type.getSimpleName()
                : type.getEnclosingClass().getSimpleName() + type.getSimpleName();
        if (!schemas.has(name)) {
            schemas.add(name, new JsonObject()); // ends the recursion of a record that contains itself
            Map<String, String> described = params(type);
            JsonObject members = new JsonObject();
            JsonArray required = new JsonArray();
            for (RecordComponent component : type.getRecordComponents()) {
                members.add(
                        component.getName(),
                        described(schema(component.getGenericType()), described.get(component.getName())));
                if (!nullable(component)) {
                    required.add(component.getName());
                }
            }
            JsonObject schema = object("type", "object");
            schema.add("properties", members);
            schema.add("required", required);
            schema.addProperty("additionalProperties", false);
            schemas.add(name, schema);
        }
        return reference(name);
    }

    private static boolean nullable(RecordComponent component) {
        return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    /** Returns the descriptions of a record's components in its Javadoc. */
    private static Map<String, String> params(Class<?> type) {
        Class<?> file = type;
        while (file.getEnclosingClass() != null) {
            file = file.getEnclosingClass();
        }
        String name = file.getName();
        Path sources = name.startsWith("io.ostraka.history.")
                ? HISTORY_SOURCES
                : name.startsWith("io.ostraka.console.") ? CONSOLE_SOURCES : SOURCES;
        String source = read(sources.resolve(file.getName().replace('.', '/') + ".java"));
        int at = source.indexOf("record " + type.getSimpleName() + "(");
        int from = source.lastIndexOf("/**", at);
        Map<String, String> params = new TreeMap<>();
        if (at < 0 || from < 0 || source.substring(from, at).contains("\n}")) {
            return params;
        }
        Matcher matcher = PARAM.matcher(source.substring(from, at));
        while (matcher.find()) {
            params.put(matcher.group(1), plain(matcher.group(2)));
        }
        return params;
    }

    /** Returns the text of a comment without tags. */
    private static String plain(String javadoc) {
        String text = javadoc.replaceAll("\\n\\s*\\* ?", " ")
                .replaceAll("\\{@(?:code|value|link|linkplain) (?:[\\w.]*#)?([^}]*)}", "$1")
                .replaceAll("\\bio\\.ostraka\\.[a-z.]*", "")
                .replaceAll("\\bnull\\b", "absent")
                .replaceAll("\\s+", " ")
                .strip();
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonObject described(JsonObject schema, @Nullable String description) {
        if (description == null) {
            return schema;
        }
        JsonObject copy = schema.deepCopy();
        copy.addProperty("description", description);
        return copy;
    }

    private static JsonObject struct(JsonObject members, List<String> required) {
        JsonObject schema = object("type", "object");
        schema.add("properties", members);
        JsonArray names = new JsonArray();
        required.forEach(names::add);
        schema.add("required", names);
        schema.addProperty("additionalProperties", false);
        return schema;
    }

    private static JsonObject array(JsonObject elements) {
        JsonObject schema = object("type", "array");
        schema.add("items", elements);
        return schema;
    }

    private static JsonObject reference(String name) {
        return object("$ref", "#/components/schemas/" + name);
    }

    private static JsonObject object(String... pairs) {
        JsonObject json = new JsonObject();
        for (int i = 0; i < pairs.length; i += 2) {
            json.addProperty(pairs[i], pairs[i + 1]);
        }
        return json;
    }

    private static String camel(String name) {
        StringBuilder camel = new StringBuilder();
        for (String word : name.toLowerCase(Locale.ROOT).split("_")) {
            camel.append(camel.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return camel.toString();
    }
}
