package io.ostraka.cli;

import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.Namespaces;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.testkit.TestCluster;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Runs command lines in this process, against the real API of a test cluster or against given responses. */
final class Harness {
    static final String NAMESPACE = "orders";

    private final Transport transport;
    private final Supplier<Instant> now;
    private final Map<String, String> environment = new TreeMap<>(Map.of("HOME", "/nonexistent"));
    private final List<Request> requests = new ArrayList<>();
    private UnaryOperator<Response> responses = UnaryOperator.identity();
    private String typed;
    private int width;
    private boolean colours;
    private Surroundings.Pause pause = () -> false;
    private String out = "";
    private String err = "";
    private int opened;
    private boolean closed;

    private Harness(Transport transport, Supplier<Instant> now) {
        this.transport = transport;
        this.now = now;
        environment.put("OSTRAKA_SERVER", "https://console.example.org");
        environment.put("OSTRAKA_NAMESPACE", NAMESPACE);
    }

    /** Returns a command line that reaches a test cluster. */
    static Harness of(TestCluster cluster) {
        return of(cluster.observe(), cluster::now);
    }

    /** Returns a command line that reaches the given operations. */
    static Harness of(Operations operations, Supplier<Instant> now) {
        return of(operations, now, false);
    }

    /** Returns a command line that reaches a test cluster through a console that hides the values of parameters. */
    static Harness masked(TestCluster cluster) {
        return of(cluster.observe(), cluster::now, true);
    }

    private static Harness of(Operations operations, Supplier<Instant> now, boolean masksParameters) {
        Api api = new Api(
                new Namespaces() {
                    @Override
                    public List<String> names() {
                        return List.of(NAMESPACE);
                    }

                    @Override
                    public Optional<Operations> operations(String namespace) {
                        return Optional.of(operations).filter(known -> namespace.equals(NAMESPACE));
                    }
                },
                masksParameters);
        Response session = new Response(200, Map.of(), "{\"name\":\"ann\"}".getBytes(StandardCharsets.UTF_8));
        return new Harness(
                transport(request ->
                        request.path().equals(SecuredApi.SESSION) ? session : api.handle(request, new Ann())),
                now);
    }

    /** Returns a command line that gets the given answers. */
    static Harness answering(UnaryOperatorOf answers) {
        return new Harness(transport(answers), () -> Instant.parse("2026-01-31T22:00:00Z"));
    }

    /** Returns the JSON of a job in a list. */
    static String job(String name) {
        return "{\"job\":\"" + name + "\",\"state\":\"ACTIVE\",\"stateText\":\"\",\"health\":[],\"items\":1,"
                + "\"owners\":{},\"triggers\":0,\"at\":\"2026-01-31T22:00:00Z\"}";
    }

    /** Answers a request. */
    interface UnaryOperatorOf {
        Response answer(Request request);
    }

    private static Transport transport(UnaryOperatorOf answers) {
        return new Transport() {
            @Override
            public Response send(Request request) {
                return answers.answer(request);
            }

            @Override
            public void close() {}
        };
    }

    private record Ann() implements Caller {
        @Override
        public String name() {
            return "ann";
        }

        @Override
        public String origin() {
            return "test";
        }

        @Override
        public boolean has(Role role, String namespace, String job) {
            return true;
        }

        @Override
        public boolean sees(String namespace) {
            return true;
        }
    }

    /** Sets what a person types; the lines end with line feeds. */
    Harness typing(String text) {
        typed = text;
        return this;
    }

    Harness width(int columns) {
        width = columns;
        return this;
    }

    Harness colours() {
        colours = true;
        return this;
    }

    Harness pause(Surroundings.Pause given) {
        pause = given;
        return this;
    }

    /** Lets the reader of the data end before it has read anything, as a closed pipe does. */
    Harness closedPipe() {
        closed = true;
        return this;
    }

    Harness variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Replaces the responses on their way. */
    Harness replacing(UnaryOperator<Response> replacement) {
        responses = replacement;
        return this;
    }

    /** Runs a command line, and returns the exit code. */
    int run(String... arguments) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        ByteArrayOutputStream talk = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                new PrintStream(closed ? broken() : data, false, StandardCharsets.UTF_8),
                new PrintStream(talk, false, StandardCharsets.UTF_8),
                typed == null ? null : new BufferedReader(new StringReader(typed)),
                width,
                colours);
        int code = Cli.run(new Surroundings(terminal, environment, clock(), pause, this::open), arguments);
        out = data.toString(StandardCharsets.UTF_8);
        err = talk.toString(StandardCharsets.UTF_8);
        return code;
    }

    private static OutputStream broken() {
        return new OutputStream() {
            @Override
            public void write(int each) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
    }

    /** Returns surroundings without a terminal and without a connection. */
    static Surroundings surroundings() {
        PrintStream none = new PrintStream(PrintStream.nullOutputStream());
        return new Surroundings(
                new Terminal(none, none, null, 0, false), Map.of(), Clock.systemUTC(), () -> false, connection -> {
                    throw new AssertionError("no connection expected");
                });
    }

    private Transport open(Connection connection) {
        opened++;
        return transport(request -> {
            requests.add(request);
            return responses.apply(transport.send(request));
        });
    }

    private Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now.get();
            }
        };
    }

    String out() {
        return out;
    }

    String err() {
        return err;
    }

    List<Request> requests() {
        return requests;
    }

    /** Returns how often a connection was opened. */
    int opened() {
        return opened;
    }
}
