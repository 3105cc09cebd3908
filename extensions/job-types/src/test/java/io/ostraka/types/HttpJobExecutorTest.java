package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.ostraka.api.HttpFailedException;
import io.ostraka.api.HttpJob;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.http.HttpGuard;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests requests to a real server: their headers, the part of the response that is read, and the targets that are
 * refused.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpJobExecutorTest {
    private static final JobConfiguration JOB =
            JobConfiguration.newBuilder("requested", 2).build();
    private static final HttpGuard LOCAL = new HttpGuard(List.of("localhost"), List.of("localhost"));

    private final HttpJobExecutor executor = new HttpJobExecutor(LOCAL);

    private static void run(HttpJobExecutor executor, HttpJob job) throws IOException, InterruptedException {
        executor.execute(job, TestContext.of(JOB));
    }

    private HttpFailedException failureOf(HttpJob job) {
        return catchThrowableOfType(() -> run(executor, job), HttpFailedException.class);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void sendsContextInHeaders() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(204))) {
            run(
                    executor,
                    HttpJob.request("POST", server.uri("/settle?all=1"))
                            .header("Content-Type", "text/plain")
                            .header("Authorization", () -> "Bearer hunter2".toCharArray())
                            .body("settle!")
                            .build());

            TestServer.Received request = server.received.remove();
            assertThat(request.exchange().getRequestMethod()).isEqualTo("POST");
            assertThat(request.exchange().getRequestURI().getPath()).isEqualTo("/settle");
            assertThat(request.exchange().getRequestURI().getQuery()).isEqualTo("all=1");
            assertThat(request.header("Host")).isEqualTo("localhost:" + server.port());
            assertThat(request.header("Ostraka-Job-Name")).isEqualTo("requested");
            assertThat(request.header("Ostraka-Fencing-Token")).isEqualTo("7");
            assertThat(request.header("Content-Type")).isEqualTo("text/plain");
            assertThat(request.header("Authorization")).isEqualTo("Bearer hunter2");
            assertThat(request.body()).isEqualTo(bytes("settle!"));
        }
    }

    @Test
    void unsuccessfulStatusFailsWithBeginningOfBody() throws Exception {
        byte[] body = bytes("no such month, " + "x".repeat(10_000));
        try (TestServer server = new TestServer(exchange -> {
            exchange.sendResponseHeaders(422, body.length);
            exchange.getResponseBody().write(body);
        })) {
            HttpFailedException failure = failureOf(
                    HttpJob.request("GET", server.uri("/x?token=hunter2")).build());

            assertThat(failure.status()).isEqualTo(422);
            assertThat(failure.body()).hasSize(4096).startsWith("no such month, xxx");
            assertThat(failure)
                    .hasMessageStartingWith(
                            "GET http://localhost:" + server.port() + "/x was answered with 422: no such")
                    .hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void answerCannotForgeALineOfTheLog() throws Exception {
        byte[] body = bytes("no\n2026-01-01 ERROR stolen\u0085\u2028x\u009b2J\u202ey\u001b[31m");
        try (TestServer server = new TestServer(exchange -> {
            exchange.sendResponseHeaders(422, body.length);
            exchange.getResponseBody().write(body);
        })) {
            HttpFailedException failure =
                    failureOf(HttpJob.request("GET", server.uri("/x")).build());

            assertThat(failure.getMessage()).endsWith("422: no 2026-01-01 ERROR stolenx2Jy");
            assertThat(failure.body()).isEqualTo("no\n2026-01-01 ERROR stolenx2Jy");
        }
    }

    @Test
    void statusLineThatIsNoneReachesNoLogAsItIs() throws Exception {
        for (String line : List.of("HTTP/1.1 2\u009b2J0 \u0085forged", "2026 \u0085\u009b31m", "HTTP/1.1 \u0085")) {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
                    try (Socket socket = server.accept()) {
                        socket.getOutputStream().write((line + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                URI target = URI.create("http://localhost:" + server.getLocalPort() + "/");
                Throwable failure = catchThrowable(
                        () -> run(executor, HttpJob.request("GET", target).build()));
                assertThat(failure).as(line).isInstanceOf(IOException.class);
                StringWriter logged = new StringWriter();
                failure.printStackTrace(new PrintWriter(logged));
                assertThat(logged.toString().chars()).doesNotContain(0x85, 0x9b);
                answered.join();
            }
        }
    }

    @Test
    void removesSecretThatServerRepeats() throws Exception {
        try (TestServer server = new TestServer(exchange -> {
            byte[] body = bytes("not allowed: " + exchange.getRequestHeaders().getFirst("Authorization"));
            exchange.sendResponseHeaders(403, body.length);
            exchange.getResponseBody().write(body);
        })) {
            HttpFailedException failure = failureOf(HttpJob.request("GET", server.uri("/"))
                    .header("Authorization", () -> "hunter2".toCharArray())
                    .build());

            assertThat(failure.toString()).contains("not allowed: [secret]").doesNotContain("hunter2");
        }
    }

    @Test
    void invalidSecretIsNotShown() {
        HttpJob job = HttpJob.request("GET", URI.create("http://localhost:1/"))
                .header("Authorization", () -> "hunter2\r\nX: y".toCharArray())
                .build();

        assertThatThrownBy(() -> run(executor, job))
                .hasMessageContaining("Authorization")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void redirectFailsAndIsNotFollowed() throws Exception {
        AtomicInteger elsewhere = new AtomicInteger();
        try (TestServer other = new TestServer(exchange -> elsewhere.incrementAndGet());
                TestServer server = new TestServer(exchange -> {
                    exchange.getResponseHeaders().set("Location", other.uri("/").toString());
                    exchange.sendResponseHeaders(302, -1);
                })) {
            HttpFailedException failure =
                    failureOf(HttpJob.request("GET", server.uri("/")).build());

            assertThat(failure).hasMessageContaining("302, and redirects are not followed");
            assertThat(elsewhere).hasValue(0);
        }
    }

    /** The server of a long response notices that the client stopped reading. */
    @Test
    void cutsOffEndlessResponse() throws Exception {
        for (int status : new int[] {200, 500}) {
            CountDownLatch cut = new CountDownLatch(1);
            try (TestServer server = new TestServer(exchange -> {
                exchange.sendResponseHeaders(status, 0);
                try (OutputStream body = exchange.getResponseBody()) {
                    while (true) {
                        body.write(bytes("x".repeat(1000)));
                    }
                } catch (IOException e) {
                    cut.countDown();
                }
            })) {
                HttpJob job = HttpJob.request("GET", server.uri("/")).build();
                if (status == 200) {
                    run(executor, job);
                } else {
                    assertThat(failureOf(job).body()).hasSize(4096);
                }
                assertThat(cut.await(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void incompleteResponseFailsAtTheLimit() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        try (TestServer server = new TestServer(dripping(new CountDownLatch(1), cut))) {
            HttpJob job = HttpJob.request("GET", server.uri("/"))
                    .requestTimeout(Duration.ofSeconds(1))
                    .build();

            assertThatThrownBy(() -> run(executor, job))
                    .isInstanceOf(HttpTimeoutException.class)
                    .hasMessageContaining("PT1S");
            assertThat(cut.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void interruptionEndsSlowRequest() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cut = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (TestServer server = new TestServer(dripping(begun, cut))) {
            HttpJob job = HttpJob.request("GET", server.uri("/")).build();
            Thread runner = new Thread(() -> thrown.set(catchThrowable(() -> run(executor, job))));
            runner.start();
            begun.await();
            runner.interrupt();
            runner.join();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(cut.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Returns a handler that sends its response byte by byte for minutes, until the client stops reading. */
    private static HttpHandler dripping(CountDownLatch begun, CountDownLatch cut) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 60_000);
            try {
                for (int i = 0; i < 60_000; i++) {
                    exchange.getResponseBody().write('x');
                    exchange.getResponseBody().flush();
                    begun.countDown();
                    LockSupport.parkNanos(5_000_000);
                }
            } catch (IOException e) {
                cut.countDown();
            }
        };
    }

    /**
     * No name server knows the name, so a second look-up would fail. A malicious name server could return a different
     * address.
     */
    @Test
    void requestGoesToTheCheckedAddress() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        HttpGuard guard = new HttpGuard(List.of("billing.invalid"), List.of("billing.invalid"), host -> {
            asked.incrementAndGet();
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        });
        try (TestServer server = new TestServer(TestServer.status(200))) {
            URI uri = URI.create("http://billing.invalid:" + server.port() + "/settle");
            run(new HttpJobExecutor(guard), HttpJob.request("GET", uri).build());

            assertThat(server.received.remove().header("Host")).isEqualTo("billing.invalid:" + server.port());
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void refusesPrivateAddressBeforeSending() throws Exception {
        HttpGuard guard = new HttpGuard(List.of("billing.invalid"), List.of(), host ->
                new InetAddress[] {InetAddress.getByName("93.184.216.34"), InetAddress.getLoopbackAddress()});
        try (TestServer server = new TestServer(TestServer.status(200))) {
            URI uri = URI.create("http://billing.invalid:" + server.port() + "/");

            assertThatThrownBy(() -> run(
                            new HttpJobExecutor(guard),
                            HttpJob.request("GET", uri).build()))
                    .isInstanceOf(HttpGuard.Refused.class)
                    .hasMessageContainingAll("billing.invalid", "127.0.0.1");
            assertThat(server.received).isEmpty();
        }
    }

    /** A name server that does not answer blocks its caller, which cannot be interrupted. */
    @Test
    void interruptionEndsWaitForNameServer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        HttpGuard guard = new HttpGuard(List.of("billing.invalid"), List.of(), host -> {
            asked.countDown();
            CompletableFuture.runAsync(() -> await(over)).join(); // an interruption does not end this wait
            return new InetAddress[0];
        });
        HttpJob job =
                HttpJob.request("GET", URI.create("https://billing.invalid/")).build();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread runner = new Thread(() -> thrown.set(catchThrowable(() -> run(new HttpJobExecutor(guard), job))));
        runner.start();
        asked.await();
        runner.interrupt();
        runner.join();
        over.countDown();

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void reportsNameWithoutAddress() {
        HttpGuard guard = new HttpGuard(List.of("billing.invalid"), List.of(), host -> {
            throw new UnknownHostException(host);
        });

        assertThatThrownBy(() -> run(
                        new HttpJobExecutor(guard),
                        HttpJob.request("GET", URI.create("https://billing.invalid/"))
                                .build()))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("billing.invalid");
    }

    @Test
    void refusesDisallowedHostAtRegistration() {
        HttpJob job = HttpJob.request("GET", URI.create("https://evil.test/")).build();

        assertThatThrownBy(() -> executor.validate(job, JOB))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll(
                        "requested", "evil.test", "allowHttpJobs(…)", "ostraka.allow.http-hosts", "[localhost]");
    }

    /** The certificate proves the server's name, not its address. */
    @Test
    @Tag("cluster")
    void tlsChecksTheServersName(@TempDir Path directory) throws Exception {
        SSLContext before = SSLContext.getDefault();
        SSLContext context = SelfSigned.create(directory.resolve("localhost.p12"), "CN=localhost", "dns:localhost")
                .context();
        HttpsServer tls = HttpsServer.create();
        tls.setHttpsConfigurator(new HttpsConfigurator(context));
        SSLContext.setDefault(context);
        try (TestServer server = new TestServer(tls, TestServer.status(200))) {
            HttpGuard guard = new HttpGuard(List.of("localhost", "127.0.0.1"), List.of("localhost"));
            HttpJobExecutor https = new HttpJobExecutor(guard);
            run(
                    https,
                    HttpJob.request("GET", URI.create("https://localhost:" + server.port() + "/"))
                            .build());
            assertThat(server.received.remove().header("Ostraka-Job-Name")).isEqualTo("requested");

            assertThatThrownBy(() -> run(
                            https,
                            HttpJob.request("GET", URI.create("https://127.0.0.1:" + server.port() + "/"))
                                    .build()))
                    .isInstanceOf(SSLHandshakeException.class);
            assertThat(server.received).isEmpty();
        } finally {
            SSLContext.setDefault(before);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
