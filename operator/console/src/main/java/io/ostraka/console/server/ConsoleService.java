package io.ostraka.console.server;

import com.google.gson.JsonObject;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.PlaygroundRoutes;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.Service;
import org.jspecify.annotations.Nullable;

/** The API, and the routes of a playground if the console belongs to one. */
final class ConsoleService implements Service {
    private final Api api;
    private final @Nullable String logs;
    private final @Nullable PlaygroundRoutes playground;

    /**
     * Creates the service.
     *
     * @param logs template of links to the log system; null if there is none
     * @param playground routes of the playground; null if there is none
     */
    ConsoleService(Api api, @Nullable String logs, @Nullable PlaygroundRoutes playground) {
        this.api = api;
        this.logs = logs;
        this.playground = playground;
    }

    @Override
    public Response handle(Request request, Caller caller) {
        PlaygroundRoutes routes = playground;
        if (routes == null
                || !(request.path().equals(PlaygroundRoutes.PATH)
                        || request.path().startsWith(PlaygroundRoutes.PATH + "/"))) {
            return api.handle(request, caller);
        }
        if (!caller.has(Role.ADMIN, routes.namespace(), null)) {
            throw new Problem(
                    Problem.Code.FORBIDDEN,
                    "'" + caller.name() + "' needs the role ADMIN for namespace '" + routes.namespace() + "'");
        }
        return routes.answer(request);
    }

    @Override
    public JsonObject about() {
        JsonObject json = api.about();
        json.addProperty("playground", playground != null);
        if (logs != null) {
            json.addProperty("logs", logs);
        }
        return json;
    }
}
