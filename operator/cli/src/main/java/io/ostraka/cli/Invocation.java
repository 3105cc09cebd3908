package io.ostraka.cli;

import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Shell;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParseResult;

/**
 * A verb with its values.
 *
 * @param session connection and output
 * @param verb the verb
 * @param parsed the parsed command line of the verb
 * @param verbs all verbs, for messages that recommend one
 */
record Invocation(Session session, Verb verb, ParseResult parsed, List<Verb> verbs) {
    static final String REASON = "--reason";
    static final String DRY_RUN = "--dry-run";
    static final String REQUEST_ID = "--request-id";
    static final String IF_VERSION = "--if-version";
    static final String YES = "--yes";

    /** Options that a repeated command line leaves out. It has its own request id, and it names the selected jobs. */
    private static final Set<String> NOT_REPEATED =
            Set.of(REQUEST_ID, "--selector", "--search", "--state", "--problems");

    /** Returns the value of a parameter; null if it was not given. */
    @Nullable Object value(String name) {
        ArgSpec spec = name.startsWith("-")
                ? parsed.commandSpec().findOption(name)
                : parsed.commandSpec().positionalParameters().stream()
                        .filter(each -> each.paramLabel().equals(name))
                        .findFirst()
                        .orElse(null);
        Object value = spec == null ? null : spec.getValue();
        return value instanceof Boolean flag && !flag ? null : value;
    }

    boolean flag(String name) {
        return value(name) != null;
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(value(name)).map(Object::toString);
    }

    /** Returns the value of a required parameter. */
    String require(String name) {
        return text(name).orElseThrow(() -> new IllegalStateException(verb.path() + " has no " + name));
    }

    List<String> list(String name) {
        Object value = value(name);
        return value instanceof List<?> list
                ? list.stream().map(Object::toString).toList()
                : List.of();
    }

    Map<?, ?> map(String name) {
        return value(name) instanceof Map<?, ?> map ? map : Map.of();
    }

    Output output() {
        return session.output();
    }

    Terminal terminal() {
        return session.output().terminal();
    }

    Client client() {
        return session.client();
    }

    /** Reads a job. */
    Answers.Job job(String name) {
        return client().get(Answers.Job.class, path("jobs", name)).value();
    }

    /** Returns the path of a route of the namespace. */
    String path(String... segments) {
        List<String> all = new ArrayList<>(List.of(session.namespace()));
        all.addAll(List.of(segments));
        return Client.path(all.toArray(String[]::new));
    }

    /** Returns a command line for this connection, such as {@code ostraka -n orders job resume settle}. */
    String command(String path, List<String> positions, String... options) {
        return session.command(path, positions, List.of(options));
    }

    /** Returns the command line that repeats this command for one target, with the request id of the first attempt. */
    String repeated(Map<String, String> target, String requestId) {
        List<String> positions = new ArrayList<>();
        List<String> options = new ArrayList<>();
        for (Parameter each : verb.parameters()) {
            if (!each.isOption()) {
                if (target.containsKey(each.member())) {
                    positions.add(target.get(each.member()));
                } else if (value(each.name()) instanceof Map<?, ?> map) {
                    map.forEach((name, value) -> positions.add(name + "=" + value));
                } else {
                    positions.addAll(
                            value(each.name()) instanceof List<?> ? list(each.name()) : List.of(require(each.name())));
                }
            }
        }
        for (CommandLine.Model.OptionSpec option : parsed.matchedOptions()) {
            if (!option.inherited() && !NOT_REPEATED.contains(option.longestName())) {
                if (option.typeInfo().isBoolean()) {
                    options.add(option.longestName());
                } else {
                    option.originalStringValues()
                            .forEach(value -> options.addAll(Shell.option(option.longestName(), value)));
                }
            }
        }
        options.addAll(Shell.option(REQUEST_ID, requestId));
        return session.command(verb.path(), positions, options);
    }
}
