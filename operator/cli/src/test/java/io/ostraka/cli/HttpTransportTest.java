package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.HttpTransport;
import io.ostraka.cli.transport.Setting;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the way over HTTP against servers that answer in hostile ways. */
class HttpTransportTest {
    private static final Request REQUEST = new Request(
            "GET", "/api/v1/namespaces", "a=b", Map.of("accept", List.of("application/json")), new byte[0], "", true);

    private final List<String> authorizations = Collections.synchronizedList(new ArrayList<>());
    private final List<String> targets = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch released = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
    }

    @AfterEach
    void stop() {
        released.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpHandler handler) {
        server.createContext("/", exchange -> {
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            targets.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            handler.handle(exchange);
            exchange.close();
        });
        server.start();
    }

    private String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private Transport open(Duration limit) {
        return HttpTransport.open(new Connection(Map.of(Setting.SERVER, address()), "secret-token", limit, false));
    }

    private Transport open() {
        return open(Duration.ofSeconds(60));
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Test
    void sendsTheTokenAndReturnsTheResponse() {
        serve(exchange -> answer(exchange, 200, "{\"namespaces\":[]}"));

        Response response = open().send(REQUEST);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("{\"namespaces\":[]}");
        assertThat(authorizations).containsExactly("Bearer secret-token");
        assertThat(targets).containsExactly("GET /api/v1/namespaces?a=b");
    }

    @Test
    void followsNoRedirectSoTheTokenStays() throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        List<String> stolen = Collections.synchronizedList(new ArrayList<>());
        other.createContext("/", exchange -> stolen.add("request"));
        other.start();
        try {
            serve(exchange -> {
                exchange.getResponseHeaders()
                        .add(
                                "Location",
                                "http://127.0.0.1:" + other.getAddress().getPort() + "/");
                answer(exchange, 307, "");
            });

            assertThat(open().send(REQUEST).status()).isEqualTo(307);
            assertThat(stolen).isEmpty();
        } finally {
            other.stop(0);
        }
    }

    @Test
    void bodyThatEndsTooEarlyIsNoResponse() {
        serve(exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write("{\"half\":".getBytes(StandardCharsets.UTF_8));
        });

        assertThatThrownBy(() -> open().send(REQUEST))
                .isInstanceOfSatisfying(
                        Transport.Broken.class, e -> assertThat(e.sent()).isTrue());
    }

    @Test
    void hugeBodyIsRefusedBeforeItFillsTheMemory() {
        byte[] part = new byte[1 << 20];
        int[] written = new int[1];
        serve(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            while (written[0] < 100_000) { // a hundred gigabytes
                exchange.getResponseBody().write(part);
                written[0]++;
            }
        });

        assertThatThrownBy(() -> open().send(REQUEST))
                .isInstanceOf(Transport.Broken.class)
                .hasMessageContaining("more than 64 MiB");
    }

    @Tag("slow")
    @Test
    void serverThatNeverEndsItsBodyIsGivenUp() {
        serve(exchange -> {
            exchange.sendResponseHeaders(200, 10);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        assertThatThrownBy(() -> open(Duration.ofSeconds(5)).send(REQUEST))
                .isInstanceOfSatisfying(
                        Transport.Broken.class, e -> assertThat(e.sent()).isTrue());
    }

    @Test
    void serverThatIsNotThereHasReceivedNothing() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Transport transport = HttpTransport.open(
                new Connection(Map.of(Setting.SERVER, "http://127.0.0.1:" + port), "", Duration.ofSeconds(60), false));

        assertThatThrownBy(() -> transport.send(REQUEST))
                .isInstanceOfSatisfying(
                        Transport.Broken.class, e -> assertThat(e.sent()).isFalse())
                .hasMessageContaining("not reachable");
    }

    @Tag("slow")
    @Test
    void serverWithoutTlsHasReceivedNothing() {
        serve(exchange -> answer(exchange, 200, "{}"));
        Transport transport = HttpTransport.open(new Connection(
                Map.of(Setting.SERVER, address().replace("http:", "https:")), "token", Duration.ofSeconds(60), false));

        assertThatThrownBy(() -> transport.send(REQUEST)).isInstanceOf(Transport.Broken.class);
        assertThat(authorizations).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://console.example.org",
                "http://10.1.2.3:8080",
                "http://localhost.example.org",
                "http://127.0.0.1.example.org"
            })
    void tokenIsNotSentWithoutEncryption(String address) {
        Connection connection = new Connection(Map.of(Setting.SERVER, address), "token", Duration.ofSeconds(1), false);

        assertThatThrownBy(() -> HttpTransport.open(connection))
                .isInstanceOfSatisfying(
                        Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("not encrypted");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost:1",
                "http://127.0.0.1:1",
                "http://[::1]:1",
                "https://console.example.org",
                "console"
            })
    void tokenIsSentOverTlsAndToThisMachine(String address) {
        assertThat(HttpTransport.open(
                        new Connection(Map.of(Setting.SERVER, address), "token", Duration.ofSeconds(1), false)))
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ftp://a", "https://user:secret@a", "https://a?x=y", "https://", "a b", "file:///etc/passwd"})
    void otherAddressesAreRefusedWithoutRepeatingThem(String address) {
        assertThatThrownBy(() -> HttpTransport.open(
                        new Connection(Map.of(Setting.SERVER, address), "", Duration.ofSeconds(1), false)))
                .isInstanceOf(Failure.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void tokenComesFromAFileAndIsNeverShown(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("token");
        Files.writeString(file, "secret-of-file\n");
        serve(exchange -> answer(exchange, 200, "{}"));
        Connection connection = new Connection(
                Map.of(Setting.SERVER, address(), Setting.TOKEN_FILE, file.toString()),
                "secret-of-environment",
                Duration.ofSeconds(60),
                false);

        HttpTransport.open(connection).send(REQUEST);

        assertThat(authorizations).containsExactly("Bearer secret-of-file");
        assertThat(connection.toString()).doesNotContain("secret-of");
    }

    @Test
    void tokenWithALineFeedInsideIsRefusedWithoutShowingIt(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("token");
        Files.writeString(file, "secret\nX-Header: 1");
        Connection connection = new Connection(
                Map.of(Setting.SERVER, "https://a", Setting.TOKEN_FILE, file.toString()),
                "",
                Duration.ofSeconds(1),
                false);

        assertThatThrownBy(() -> HttpTransport.open(connection))
                .isInstanceOf(Failure.class)
                .hasMessageNotContaining("secret\n");
    }

    @Test
    void fileWithoutCertificatesIsRefused(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("ca.pem");
        Files.writeString(file, "no certificate");
        Connection connection = new Connection(
                Map.of(Setting.SERVER, "https://a", Setting.CA_FILE, file.toString()),
                "",
                Duration.ofSeconds(1),
                false);

        assertThatThrownBy(() -> HttpTransport.open(connection))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("--ca-file");
    }
}
