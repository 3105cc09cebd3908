package io.ostraka.console;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The variables of a path and the parameters of a query. */
final class Parameters {
    private final Map<String, String> variables;
    private final Map<String, List<String>> query;

    Parameters(Map<String, String> variables, Map<String, List<String>> query) {
        this.variables = new LinkedHashMap<>(variables);
        this.query = query;
    }

    /** Checks that the query has no other parameters than these. */
    void accept(Set<String> names) {
        for (String name : query.keySet()) {
            if (!names.contains(name)) {
                throw new Problem(
                                Problem.Code.INVALID,
                                "the query parameter '" + name + "' is not known; accepted: "
                                        + (names.isEmpty() ? "none" : names))
                        .with("field", name);
            }
        }
    }

    /** Returns a variable of the path. */
    String variable(String name) {
        String value = variables.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no variable " + name);
        }
        return value;
    }

    /** Returns the job of the path; null if the route has none. */
    @Nullable String job() {
        return variables.get("job");
    }

    /** Returns all values of a parameter. */
    List<String> all(String name) {
        return query.getOrDefault(name, List.of());
    }

    /** Returns the value of a parameter; empty if there is none. */
    Optional<String> text(String name) {
        List<String> values = all(name);
        if (values.size() > 1) {
            throw new Problem(Problem.Code.INVALID, "the query parameter '" + name + "' was given more than once")
                    .with("field", name);
        }
        return values.stream().findFirst();
    }

    boolean flag(String name) {
        return parsed(name, "true, false", text -> switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new IllegalArgumentException();
                })
                .orElse(false);
    }

    int number(String name, int least, int most, int otherwise) {
        return parsed(name, WholeNumber.accepted(least, most), text -> (int) WholeNumber.read(text, least, most))
                .orElse(otherwise);
    }

    Optional<Instant> time(String name) {
        return parsed(name, "a time such as 2026-01-31T22:00:00Z", Instant::parse);
    }

    Optional<Duration> duration(String name) {
        return parsed(name, "a duration such as PT1H", Duration::parse);
    }

    <T> Optional<T> parsed(String name, String accepted, Function<String, T> parse) {
        return text(name).map(text -> {
            try {
                return parse.apply(text);
            } catch (IllegalArgumentException | DateTimeException e) {
                throw invalid(name, text, accepted);
            }
        });
    }

    /** Returns the problem of a parameter with a value that is not accepted. */
    static Problem invalid(String name, String value, String accepted) {
        String shown = value.length() > 100 ? value.substring(0, 100) + "…" : value;
        return new Problem(Problem.Code.INVALID, name + " is '" + shown + "'; accepted: " + accepted)
                .with("field", name);
    }
}
