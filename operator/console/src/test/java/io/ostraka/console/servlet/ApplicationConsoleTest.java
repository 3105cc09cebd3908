package io.ostraka.console.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.CommandAudit;
import io.ostraka.console.EventRequest;
import io.ostraka.console.Namespaces;
import io.ostraka.console.live.LiveStream;
import io.ostraka.console.live.Subscription;
import io.ostraka.console.security.Hosts;
import io.ostraka.core.time.Clock;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the API behind the security of an application, in a real container. */
class ApplicationConsoleTest {
    private static final String PAUSE = "/api/v1/namespaces/prod/jobs/settle/pause";
    private static final String JSON = "application/json";

    private final BlockingQueue<CommandOptions> executed = new LinkedBlockingQueue<>();
    private final BlockingQueue<Opened> opened = new LinkedBlockingQueue<>();
    private final AtomicLong nanos = new AtomicLong();
    private final Clock clock = new Clock() {
        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long monotonicNanos() {
            return nanos.get();
        }
    };
    private Container container;

    /** A stream that was opened. */
    private record Opened(EventRequest request, Caller caller, BooleanSupplier valid) {}

    /** A stream that ends at once. */
    private static final class EndedStream implements Subscription {
        @Override
        public byte[] poll() {
            return null;
        }

        @Override
        public void onReady(Runnable listener) {
            listener.run();
        }

        @Override
        public boolean ended() {
            return true;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() throws Exception {
        container = container(Callers.byRole());
    }

    private Container container(CallerResolver callers) throws Exception {
        return container(callers, null);
    }

    private Container container(CallerResolver callers, @Nullable Hosts hosts) throws Exception {
        Operations operations = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        assertThat(arguments[0]).isInstanceOf(Command.Pause.class);
                        executed.add((CommandOptions) arguments[1]);
                        return new CommandResult.Applied(1, "", "paused");
                    }
                    return List.of();
                });
        Api api = new Api(
                new Namespaces() {
                    @Override
                    public List<String> names() {
                        return List.of("prod");
                    }

                    @Override
                    public Optional<Operations> operations(String namespace) {
                        return Optional.of(operations).filter(each -> namespace.equals("prod"));
                    }
                },
                false);
        LiveStream live = (request, caller, valid) -> {
            opened.add(new Opened(request, caller, valid));
            return new EndedStream();
        };
        return new Container(new ConsoleServlet(new ApplicationConsole(api, live, callers, hosts, clock)));
    }

    @AfterEach
    void stop() throws Exception {
        container.close();
    }

    private HttpRequest.Builder pause(String user, String role) {
        return container.as(user, role, PAUSE).POST(HttpRequest.BodyPublishers.ofString("{}"));
    }

    private int status(HttpRequest.Builder request) throws Exception {
        return container.send(request).statusCode();
    }

    private int status(Container of, String host, String path) throws Exception {
        String body = "{}";
        try (Socket socket = of.raw("POST /app/ostraka" + path + " HTTP/1.1\r\nHost: " + host
                + "\r\nX-User: ann\r\nX-Role: OSTRAKA_ADMIN\r\nSec-Fetch-Site: same-origin"
                + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body)) {
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ")[1]);
        }
    }

    @Test
    void pageThatReachesTheApplicationUnderItsOwnNameIsRefused() throws Exception {
        try (Container strict = container(Callers.byRole(), Hosts.ofApplication(List.of("jobs.example.com")))) {
            for (String host : List.of("evil.example", "jobs.example.com.evil.example", "2130706433", "1.2.3")) {
                assertThat(status(strict, host, PAUSE)).as(host).isEqualTo(421);
                assertThat(status(strict, host, "/index.html")).as(host).isEqualTo(421);
            }
            assertThat(executed).isEmpty();
            for (String host : List.of("jobs.example.com:8443", "localhost", "127.0.0.1:80", "192.0.2.7", "[::1]")) {
                assertThat(status(strict, host, PAUSE)).as(host).isEqualTo(200);
            }
        }
        assertThat(status(container, "app.example", PAUSE)).isEqualTo(200);
    }

    @Test
    void consoleWithoutALoginAcceptsNoOtherNameThanTheConfiguredOnes() throws Exception {
        Operations none = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> null);
        CallerResolver wrapped = request -> "ann".equals(request.getHeader("X-Admin"))
                ? Callers.byRole().resolve(request)
                : Callers.anonymousViewer().resolve(request);
        CallerResolver byRole = Callers.byRole();
        for (CallerResolver callers : List.of(Callers.anonymousViewer(), wrapped, byRole)) {
            try (ServletConsole console = new ServletConsole("prod", none, false, callers, CommandAudit.NONE);
                    Container own = new Container(console.servlet())) {
                boolean open = !callers.equals(byRole);
                assertThat(status(own, "evil.example", "/api/v1/namespaces")).isEqualTo(open ? 421 : 405);
                assertThat(status(own, "127.0.0.1", "/api/v1/namespaces")).isEqualTo(405);
            }
        }
    }

    @Test
    void requestWithoutAUserIsRefused() throws Exception {
        for (String path : List.of(
                "/api/v1/namespaces", "/api/v1/namespaces/prod/events", "/api/v1/session", "/api", "/api/other")) {
            HttpResponse<String> response =
                    container.send(HttpRequest.newBuilder(URI.create(container.origin() + "/app/ostraka" + path)));
            assertThat(response.statusCode()).as(path).isEqualTo(401);
            assertThat(response.body()).contains("log in to the application first");
        }
    }

    @Test
    void userSeesItsRole() throws Exception {
        assertThat(container
                        .send(container.as("ann", "OSTRAKA_OPERATOR", "/api/v1/session"))
                        .body())
                .startsWith("{\"name\":\"ann\",\"origin\":\"application\",\"grants\":[\"OPERATOR\"],\"console\":{");
    }

    @Test
    void pagesNeedNoUser() throws Exception {
        URI page = URI.create(container.origin() + "/app/ostraka/prod/jobs/settle/");
        HttpResponse<String> response = container.send(HttpRequest.newBuilder(page));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("href=\"../../../style.css\"");
        assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-cache");
        assertThat(response.headers().firstValue("Content-Security-Policy")).isPresent();

        String tag = response.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = container.send(HttpRequest.newBuilder(page).header("If-None-Match", tag));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.headers().firstValue("ETag")).contains(tag);

        HttpResponse<String> head =
                container.send(HttpRequest.newBuilder(page).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("Content-Length"))
                .hasValue(response.body().getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void userWithoutARoleSeesNothing() throws Exception {
        assertThat(container
                        .send(container.as("ann", "USER", "/api/v1/namespaces"))
                        .body())
                .isEqualTo("{\"namespaces\":[]}\n");
        assertThat(status(container.as("ann", "USER", "/api/v1/namespaces/prod/jobs")))
                .isEqualTo(404);
        assertThat(status(pause("ann", "USER").header("Content-Type", JSON).header("Sec-Fetch-Site", "same-origin")))
                .isEqualTo(404);
        assertThat(executed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"OSTRAKA_VIEWER, 200, 403", "OSTRAKA_OPERATOR, 200, 200", "OSTRAKA_ADMIN, 200, 200"})
    void roleOfTheApplicationDecides(String role, int read, int write) throws Exception {
        assertThat(status(container.as("ann", role, "/api/v1/namespaces/prod/jobs")))
                .isEqualTo(read);
        assertThat(status(pause("ann", role).header("Content-Type", JSON).header("Sec-Fetch-Site", "same-origin")))
                .isEqualTo(write);
        assertThat(executed).allMatch(options -> options.actor().equals("ann"));
    }

    @Test
    void pageOfAnotherSiteCannotWrite() throws Exception {
        for (String site : List.of("cross-site", "same-site", "none", "")) {
            assertThat(status(pause("ann", "OSTRAKA_ADMIN")
                            .header("Content-Type", JSON)
                            .header("Sec-Fetch-Site", site)))
                    .as(site)
                    .isEqualTo(403);
        }
        assertThat(status(pause("ann", "OSTRAKA_ADMIN").header("Content-Type", JSON)))
                .as("neither Sec-Fetch-Site nor Origin")
                .isEqualTo(403);
        assertThat(status(pause("ann", "OSTRAKA_ADMIN")
                        .header("Content-Type", JSON)
                        .header("Origin", "https://evil.example")))
                .isEqualTo(403);
        assertThat(status(pause("ann", "OSTRAKA_ADMIN")
                        .header("Content-Type", "text/plain")
                        .header("Sec-Fetch-Site", "same-origin")))
                .as("a form of another site can send text/plain")
                .isEqualTo(415);
        assertThat(executed).isEmpty();
    }

    @Test
    void ownPageAndBearerTokenCanWrite() throws Exception {
        assertThat(status(pause("ann", "OSTRAKA_ADMIN")
                        .header("Content-Type", JSON)
                        .header("Origin", container.origin())))
                .isEqualTo(200);
        assertThat(status(pause("ann", "OSTRAKA_ADMIN")
                        .header("Content-Type", JSON)
                        .header("Authorization", "bearer abc")))
                .isEqualTo(200);
        assertThat(executed).hasSize(2);
    }

    @Test
    void anonymousCallerMayOnlyRead() throws Exception {
        try (Container open = container(Callers.anonymousViewer())) {
            URI root = URI.create(open.origin() + "/app/ostraka");
            assertThat(status(HttpRequest.newBuilder(root.resolve("/app/ostraka/api/v1/namespaces/prod/jobs"))))
                    .isEqualTo(200);
            assertThat(status(HttpRequest.newBuilder(root.resolve("/app/ostraka" + PAUSE))
                            .header("Content-Type", JSON)
                            .header("Sec-Fetch-Site", "same-origin")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))))
                    .isEqualTo(403);
        }
        assertThat(executed).isEmpty();
    }

    @Test
    void streamHasTheCallerAndItsRoles() throws Exception {
        assertThat(status(container
                        .as("ann", "OSTRAKA_OPERATOR", "/api/v1/namespaces/prod/events?job=settle")
                        .header("Last-Event-ID", "e-7")))
                .isEqualTo(200);
        Opened stream = opened.take();
        assertThat(stream.request()).isEqualTo(new EventRequest("prod", List.of("settle"), Set.of(), "e-7"));
        assertThat(stream.caller().name()).isEqualTo("ann");
        assertThat(stream.caller().has(Role.OPERATOR, "prod", null)).isTrue();
        assertThat(stream.caller().has(Role.ADMIN, "prod", null)).isFalse();
    }

    /** Some session stores, such as Spring Session, return sessions that look valid after their end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void streamIsLimitedInTimeWithAndWithoutASession(boolean session) throws Exception {
        container.close();
        container = container(request -> {
            if (session) {
                request.getSession(true);
            }
            return Callers.byRole().resolve(request);
        });
        container.send(container.as("ann", "OSTRAKA_VIEWER", "/api/v1/namespaces/prod/events"));
        Opened stream = opened.take();
        nanos.addAndGet(Duration.ofMinutes(5).toNanos() - 1);
        assertThat(stream.valid().getAsBoolean()).isTrue();
        nanos.incrementAndGet();
        assertThat(stream.valid().getAsBoolean()).isFalse();
    }

    @Test
    void streamEndsWithTheSessionOfTheApplication() throws Exception {
        BlockingQueue<HttpSession> sessions = new LinkedBlockingQueue<>();
        container.close();
        container = container(request -> {
            sessions.add(request.getSession(true));
            return Callers.byRole().resolve(request);
        });
        container.send(container.as("ann", "OSTRAKA_VIEWER", "/api/v1/namespaces/prod/events"));
        Opened stream = opened.take();
        assertThat(stream.valid().getAsBoolean()).isTrue();
        sessions.take().invalidate();
        assertThat(stream.valid().getAsBoolean()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ann\nroot", "ann\u202etoor", "ann\u2066", " ann", ""})
    void nameWithControlCharactersIsRefused(String name) throws Exception {
        container.close();
        container = container(request -> RoleCaller.ofUser(new HttpServletRequestWrapper(request) {
            @Override
            public Principal getUserPrincipal() {
                return () -> name;
            }
        }));
        assertThat(status(container.as("x", "OSTRAKA_ADMIN", "/api/v1/namespaces")))
                .isEqualTo(403);
    }
}
