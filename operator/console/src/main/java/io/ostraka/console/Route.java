package io.ostraka.console;

import io.ostraka.api.operations.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route of an operation below {@code /api/v1/namespaces/{namespace}}.
 *
 * @param operation the operation, whose role a caller needs
 * @param method HTTP method
 * @param segments segments of the path after the namespace; a segment in braces is a variable
 * @param query names of the accepted query parameters
 * @param view answers a view; null for a command, which {@link CommandBody} reads
 */
record Route(Operation operation, String method, List<String> segments, Set<String> query, @Nullable View view) {
    /** Answers a view. */
    @FunctionalInterface
    interface View {
        Response answer(Call call);
    }

    /** Returns the route of a command: a POST to the kebab-case name of the operation. */
    static Route command(Operation operation, boolean ofJob) {
        String verb = operation.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return new Route(
                operation, "POST", ofJob ? List.of("jobs", "{job}", verb) : List.of(verb), Set.of("dryRun"), null);
    }

    static Route view(Operation operation, String path, Set<String> query, View view) {
        return new Route(operation, "GET", path.isEmpty() ? List.of() : List.of(path.split("/")), query, view);
    }

    /** Returns the path with variables, as in the OpenAPI document. */
    String path() {
        return segments.isEmpty() ? "" : "/" + String.join("/", segments);
    }

    /** Returns the variables if the path matches. */
    Optional<Map<String, String>> match(List<String> path) {
        return match(segments, path);
    }

    /** Returns the variables if the path matches the segments. */
    static Optional<Map<String, String>> match(List<String> segments, List<String> path) {
        if (path.size() != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> variables = new LinkedHashMap<>();
        for (int i = 0; i < path.size(); i++) {
            String segment = segments.get(i);
            if (segment.startsWith("{")) {
                variables.put(segment.substring(1, segment.length() - 1), path.get(i));
            } else if (!segment.equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(variables);
    }
}
