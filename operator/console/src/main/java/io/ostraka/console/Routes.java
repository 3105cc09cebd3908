package io.ostraka.console;

import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.Operation;
import java.util.ArrayList;
import java.util.List;

/** The routes of all operations. Every operation has exactly one. */
final class Routes {
    /** Path of the list of namespaces. */
    static final String NAMESPACES = "/api/v1/namespaces";

    private final List<Route> routes;

    Routes() {
        List<Route> all = new ArrayList<>(Views.routes());
        for (Operation operation : Operation.values()) {
            Class<? extends Command> command = operation.command();
            if (command != null) {
                all.add(Route.command(operation, Command.OfJob.class.isAssignableFrom(command)));
            }
        }
        routes = List.copyOf(all);
    }

    List<Route> all() {
        return routes;
    }
}
