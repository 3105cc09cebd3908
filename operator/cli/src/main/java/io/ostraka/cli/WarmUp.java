package io.ostraka.cli;

import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Response;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/**
 * Loads the classes of usual commands, while the JVM records them for class data sharing. It connects only to a port of
 * this machine on which nothing listens.
 */
final class WarmUp {
    private static final String ANSWER =
            "{\"jobs\":[{\"job\":\"a\",\"state\":\"ACTIVE\",\"stateText\":\"\",\"items\":1,\"owners\":{\"a\":1},"
                    + "\"health\":[],\"triggers\":0,\"nextFire\":\"2026-01-31T22:00:00Z\",\"at\":\"2026-01-31T21:00:00Z\"}],\"total\":1}";

    private WarmUp() {}

    /** @param transports opens connections as the program does */
    static void run(Transport.Factory transports) {
        for (List<String> line : List.of(
                List.of("--version"),
                List.of("--help"),
                List.of("--server", "http://127.0.0.1:1", "-n", "a", "job", "list"),
                List.of("--zookeeper", "127.0.0.1:1", "-n", "a", "--timeout", "1s", "job", "list"))) {
            run(transports, line);
        }
        for (String format : List.of("table", "json")) {
            run(connection -> canned(), List.of("--server", "a", "-n", "a", "-o", format, "job", "list"));
        }
    }

    private static void run(Transport.Factory transports, List<String> line) {
        PrintStream none = new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Surroundings surroundings = new Surroundings(
                new Terminal(none, none, null, 0, true), Map.of(), Clock.systemUTC(), () -> false, transports);
        Cli.run(surroundings, line.toArray(String[]::new));
    }

    private static Transport canned() {
        return new Transport() {
            @Override
            public Response send(io.ostraka.console.Request request) {
                return new Response(200, Map.of(), ANSWER.getBytes(StandardCharsets.UTF_8));
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }
}
