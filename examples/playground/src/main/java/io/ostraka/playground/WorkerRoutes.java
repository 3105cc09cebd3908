package io.ostraka.playground;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.console.PlaygroundRoutes;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Routes that list, kill, freeze and start the workers. */
final class WorkerRoutes implements PlaygroundRoutes {
    private static final String WORKER = "worker";

    private final Workers workers;
    private final Map<String, Consumer<Worker>> actions;

    WorkerRoutes(Workers workers) {
        this.workers = workers;
        this.actions = Map.of(
                "/kill", Worker::kill,
                "/freeze", Worker::freeze,
                "/resume", Worker::resume,
                "/start", worker -> workers.startMended(worker.name()));
    }

    @Override
    public String namespace() {
        return Playground.NAMESPACE;
    }

    @Override
    public Response answer(Request request) {
        String route = request.path().substring(PATH.length());
        Consumer<Worker> action = actions.get(route);
        if (action != null) {
            requireMethod("POST", request);
            act(action, worker(request));
        } else if (route.isEmpty()) {
            requireMethod("GET", request);
        } else {
            throw new Problem(Problem.Code.NOT_FOUND, "there is no such route");
        }
        return list();
    }

    private static void requireMethod(String method, Request request) {
        if (!request.method().equals(method)) {
            throw new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: " + method)
                    .header("Allow", method);
        }
    }

    private Worker worker(Request request) {
        JsonObject body = request.json();
        JsonElement name = body.get(WORKER);
        if (!body.keySet().equals(Set.of(WORKER))
                || !(name instanceof JsonPrimitive primitive)
                || !primitive.isString()) {
            throw new Problem(
                    Problem.Code.INVALID,
                    "the body is not accepted; accepted: the name of a worker in '" + WORKER + "'");
        }
        return workers.find(primitive.getAsString())
                .orElseThrow(() ->
                        new Problem(Problem.Code.NOT_FOUND, "there is no worker '" + primitive.getAsString() + "'"));
    }

    private static void act(Consumer<Worker> action, Worker worker) {
        try {
            action.accept(worker);
        } catch (IllegalStateException e) {
            throw new Problem(Problem.Code.REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private Response list() {
        JsonArray list = new JsonArray();
        for (Worker.View each : workers.list()) {
            JsonObject worker = new JsonObject();
            worker.addProperty("name", each.name());
            worker.addProperty("pid", each.pid());
            worker.addProperty("state", each.state().name());
            list.add(worker);
        }
        JsonObject json = new JsonObject();
        json.add("workers", list);
        return Response.json(200, json);
    }
}
