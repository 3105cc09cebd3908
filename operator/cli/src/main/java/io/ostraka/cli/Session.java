package io.ostraka.cli;

import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Shell;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import io.ostraka.cli.transport.Transport;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The connection and the output of one run of the program. */
final class Session implements AutoCloseable {
    private final Surroundings surroundings;
    private final Connection connection;
    private final List<String> connecting;
    private final Output output;
    private final Clock clock;
    private @Nullable Transport transport;
    private @Nullable String namespace;

    /**
     * Creates a session. It connects when the first request is sent.
     *
     * @param connecting the options on the command line that determine the connection
     * @param clock clock with the time zone of the output
     */
    Session(Surroundings surroundings, Connection connection, List<String> connecting, Output output, Clock clock) {
        this.surroundings = surroundings;
        this.connection = connection;
        this.connecting = List.copyOf(connecting);
        this.output = output;
        this.clock = clock;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    Connection connection() {
        return connection;
    }

    Output output() {
        return output;
    }

    /** Returns the time on the clock of this host. */
    Instant now() {
        return clock.instant();
    }

    /** Returns a writer of times relative to the clock of this host. */
    Times times() {
        return new Times(now(), clock.getZone());
    }

    /** Returns a writer of times relative to a time. */
    Times times(Instant now) {
        return new Times(now, clock.getZone());
    }

    Client client() {
        if (transport == null) {
            boolean direct = connection.get(Setting.ZOOKEEPER).isPresent();
            if (!direct && connection.get(Setting.SERVER).isEmpty()) {
                throw Failure.usage("no console is named: give --server URL (or --zookeeper HOSTS), set OSTRAKA_SERVER,"
                        + " or save a context with 'ostraka context set NAME --server URL'");
            }
            transport = surroundings.transports().open(connection);
        }
        return new Client(transport);
    }

    /** Returns the name that the API stores with the changes of this person; empty if it is not known. */
    Optional<String> person() {
        return connection.get(Setting.ZOOKEEPER).isPresent() ? Optional.of(connection.person()) : client().person();
    }

    /** Returns the namespace. Without a setting, it is the only namespace that exists. */
    String namespace() {
        if (namespace == null) {
            namespace = connection.get(Setting.NAMESPACE).orElseGet(this::onlyNamespace);
        }
        return namespace;
    }

    private String onlyNamespace() {
        List<String> names =
                client().get(Answers.Namespaces.class, Client.path()).value().namespaces();
        if (names.size() == 1) {
            return names.get(0);
        }
        throw Failure.usage("no namespace is named: give -n NAME, or set OSTRAKA_NAMESPACE; "
                + (names.isEmpty() ? "there is no namespace that you may see" : "known: " + String.join(", ", names)));
    }

    /**
     * Returns a command line that uses the same connection.
     *
     * @param verb words of the verb, such as {@code job pause}
     * @param positions values of positions
     * @param options options of the verb
     */
    String command(String verb, List<String> positions, List<String> options) {
        List<String> begin = new ArrayList<>(List.of(CommandTree.NAME));
        begin.addAll(connecting);
        begin.addAll(List.of(verb.split(" ", -1)));
        return Shell.line(begin, positions, options);
    }

    @Override
    public void close() {
        if (transport != null) {
            transport.close();
        }
    }
}
