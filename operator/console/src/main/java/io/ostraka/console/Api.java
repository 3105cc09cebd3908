package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.core.tree.ValueJson;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests for operations below {@value Routes#NAMESPACES}, independent of the transport: an adapter or a test
 * passes the requests, and must have authenticated the caller. Thread-safe.
 */
public final class Api implements Service {
    /** Path of the view that shows callers their own names and grants. */
    public static final String SESSION = "/api/v1/session";

    /** Segments of {@link Routes#NAMESPACES}. */
    private static final List<String> PREFIX = List.of("api", "v1", "namespaces");

    /**
     * Header of each view with the caller's highest role for the job of the path, or for all jobs of the namespace if
     * the path names no job. Absent if the caller has no such role.
     */
    static final String ROLE = "Ostraka-Role";

    /** First segment of the routes of the history, after the namespace. */
    private static final String HISTORY = "history";

    private final Namespaces namespaces;
    private final Routes routes = new Routes();
    private final Masking masking;
    /**
     * Null if there is no history. {@link HistoryViews} needs the module of the history, so the class is loaded only if
     * there is a history.
     */
    private final @Nullable HistoryViews history;

    /**
     * Creates the API.
     *
     * @param masksParameters true to hide the values of parameters
     */
    public Api(Namespaces namespaces, boolean masksParameters) {
        this.namespaces = namespaces;
        this.masking = new Masking(masksParameters);
        this.history = null;
    }

    /**
     * Creates the API with views of the history.
     *
     * @param masksParameters true to hide the values of parameters
     */
    public Api(Namespaces namespaces, boolean masksParameters, HistorySource history) {
        this.namespaces = namespaces;
        this.masking = new Masking(masksParameters);
        this.history = new HistoryViews(history);
    }

    @Override
    public JsonObject about() {
        String version = Api.class.getPackage().getImplementationVersion();
        JsonObject json = new JsonObject();
        json.addProperty("version", version == null ? "development build" : version);
        json.addProperty("history", history != null);
        return json;
    }

    /** Answers a request. Every failure becomes a response; no exception is thrown. */
    @Override
    public Response handle(Request request, Caller caller) {
        if (request.isHead()) {
            return handle(request.asGet(), caller).withoutBody();
        }
        try {
            return answer(request, caller);
        } catch (RuntimeException e) {
            return Problem.response(e, request.method(), request.path(), request.client());
        }
    }

    private Response answer(Request request, Caller caller) {
        if (request.path().equals(OpenApi.PATH)) {
            requireGet(request);
            return OpenApi.response();
        } else if (request.path().equals(SESSION)) {
            requireGet(request);
            return shown(caller);
        }
        List<String> segments = Path.segments(request.path());
        if (segments.size() < PREFIX.size()
                || !segments.subList(0, PREFIX.size()).equals(PREFIX)) {
            throw new Problem(Problem.Code.NOT_FOUND, "there is no such route");
        }
        List<String> path = segments.subList(PREFIX.size(), segments.size());
        Map<String, List<String>> query = Path.parameters(request.query());
        if (path.isEmpty()) {
            return list(request, new Parameters(Map.of(), query), caller);
        }
        return masking.of(operation(request, path.get(0), path.subList(1, path.size()), query, caller));
    }

    private static void requireGet(Request request) {
        if (!request.method().equals("GET")) {
            throw notAllowed(Set.of("GET"));
        }
    }

    private Response list(Request request, Parameters parameters, Caller caller) {
        requireGet(request);
        parameters.accept(Set.of());
        JsonArray names = new JsonArray();
        namespaces.names().stream().filter(caller::sees).forEach(names::add);
        return Call.single("namespaces", names);
    }

    private Response operation(
            Request request, String namespace, List<String> path, Map<String, List<String>> query, Caller caller) {
        if (path.size() > 1 && path.get(0).equals(HISTORY)) {
            return history(request, namespace, path.subList(1, path.size()), query, caller);
        }
        Set<String> methods = new TreeSet<>();
        for (Route route : routes.all()) {
            Optional<Map<String, String>> variables = route.match(path);
            if (variables.isPresent()) {
                if (route.method().equals(request.method())) {
                    return route(route, request, namespace, new Parameters(variables.get(), query), caller);
                }
                methods.add(route.method());
            }
        }
        if (!methods.isEmpty()) {
            throw notAllowed(methods);
        }
        throw new Problem(Problem.Code.NOT_FOUND, "there is no such route");
    }

    private Response history(
            Request request, String namespace, List<String> path, Map<String, List<String>> query, Caller caller) {
        if (!caller.sees(namespace)) {
            throw hidden(namespace);
        }
        Operations operations = namespaces.operations(namespace).orElseThrow(() -> hidden(namespace));
        if (history == null) {
            throw new Problem(
                    Problem.Code.NOT_FOUND, "this console has no history; set history.url to the history's database");
        }
        Map<String, String> variables =
                history.match(path).orElseThrow(() -> new Problem(Problem.Code.NOT_FOUND, "there is no such route"));
        requireGet(request);
        Parameters parameters = new Parameters(variables, query);
        String job = parameters.job();
        if (job != null && !caller.has(Role.VIEWER, namespace, job)) {
            throw forbidden(Role.VIEWER, namespace, job, caller);
        }
        return history.answer(path, new Call(request, parameters, caller, namespace, operations, masking));
    }

    private static Problem hidden(String namespace) {
        return new Problem(
                Problem.Code.NOT_FOUND, "namespace '" + namespace + "' does not exist, or you may not see it");
    }

    private static Problem notAllowed(Set<String> methods) {
        return new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: " + methods)
                .header("Allow", String.join(", ", methods));
    }

    private Response route(Route route, Request request, String namespace, Parameters parameters, Caller caller) {
        Operation operation = route.operation();
        if (!caller.sees(namespace)) { // the same answer as for a namespace that does not exist
            throw hidden(namespace);
        }
        if (!permits(route, namespace, parameters.job(), caller)) {
            throw forbidden(operation.role(), namespace, parameters.job(), caller);
        }
        parameters.accept(route.query());
        Operations operations = operations(namespace, operation, request, parameters.job(), caller);
        Call call = new Call(request, parameters, caller, namespace, operations, masking);
        return route.view() == null
                ? execute(operation, call)
                : withRole(route.view().answer(call), call);
    }

    /** Tells a page which commands it may offer: the caller's role for the job, or for all jobs of the namespace. */
    private static Response withRole(Response response, Call call) {
        Role highest = call.caller().role(call.namespace(), call.parameters().job());
        return highest == null ? response : response.with(ROLE, highest.name());
    }

    /**
     * Returns whether the caller has the role of the operation. A list of jobs is filtered to the jobs that the caller
     * may see, so a role for some of the jobs is enough. An export and a comparison of the settings need the role for
     * all jobs, because the settings are one document about all of them.
     */
    private static boolean permits(Route route, String namespace, @Nullable String job, Caller caller) {
        Operation operation = route.operation();
        boolean filtered =
                job == null && !operation.changes() && operation != Operation.EXPORT && operation != Operation.DIFF;
        return filtered || caller.has(operation.role(), namespace, job);
    }

    private static Problem forbidden(Role role, String namespace, @Nullable String job, Caller caller) {
        return new Problem(
                        Problem.Code.FORBIDDEN,
                        "'" + caller.name() + "' needs the role " + role + " for "
                                + (job == null ? "all jobs" : "job '" + job + "'") + " of namespace '" + namespace
                                + "'; ask an administrator")
                .with("role", role.name());
    }

    private Operations operations(
            String namespace, Operation operation, Request request, @Nullable String job, Caller caller) {
        Optional<Operations> operations = operation.changes()
                ? namespaces.audited(namespace, caller, request.client(), job)
                : namespaces.operations(namespace);
        return operations.orElseThrow(() -> hidden(namespace));
    }

    private static Response execute(Operation operation, Call call) {
        CommandBody body = CommandBody.read(
                call.request(),
                operation,
                call.parameters().job(),
                call.parameters().flag("dryRun"),
                call.caller().name());
        Role role = Operation.role(body.command());
        if (!call.caller().has(role, call.namespace(), call.parameters().job())) {
            throw forbidden(role, call.namespace(), call.parameters().job(), call.caller());
        }
        CommandResult result = call.operations().execute(body.command(), body.options());
        return response(
                operation,
                body.options(),
                body.command() instanceof Command.Apply apply && result instanceof CommandResult.Preview preview
                        ? call.masking().preview(apply, preview, body.options(), call.operations())
                        : result);
    }

    private static Response response(Operation operation, CommandOptions options, CommandResult result) {
        String requestId = String.valueOf(options.requestId());
        if (result instanceof CommandResult.Conflict conflict) {
            throw new Problem(Problem.Code.CONFLICT, conflict.text())
                    .with("version", conflict.version())
                    .header("ETag", Version.tag(conflict.version()));
        } else if (result instanceof CommandResult.Unknown unknown) {
            throw new Problem(
                            Problem.Code.OUTCOME_UNKNOWN,
                            unknown.text() + "; repeat the request with the same requestId, which applies the command"
                                    + " only once in total")
                    .with("requestId", unknown.requestId());
        }
        JsonObject json = ValueJson.write(result).getAsJsonObject();
        json.addProperty("outcome", result.getClass().getSimpleName().toUpperCase(Locale.ROOT));
        json.addProperty("operation", operation.name());
        json.addProperty("requestId", requestId);
        json.addProperty("text", result.text());
        Response response = Response.json(200, json);
        long version = json.get("version").getAsLong();
        return version == 0 ? response : response.with("ETag", Version.tag(version));
    }
}
