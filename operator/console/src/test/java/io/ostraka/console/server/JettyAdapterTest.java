package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.console.LargeBodies;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.Reply;
import io.ostraka.console.live.Subscription;
import io.ostraka.console.security.ManualClock;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(90)
@ExpectedErrors({"request GET / failed", "request POST / failed"})
class JettyAdapterTest {
    private static final Listen LOOPBACK = new Listen("127.0.0.1", 0, null, 0, false);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Limits PATIENT = new Limits(4, 4, 64, LONG, LONG);

    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String READY = "GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n";

    private final ManualClock clock = new ManualClock();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final AtomicInteger admitted = new AtomicInteger();
    private final List<HttpServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(HttpServer::close);
    }

    /** Starts a server whose callers may all send large bodies. Without the header X-User, each has another name. */
    private URI start(Limits limits, Handler handler) throws IOException {
        return startStrict(limits, new Handler() {
            @Override
            public Reply handle(Request request) {
                return handler.handle(request);
            }

            @Override
            public String admitLargeBody(Request head) {
                String number = String.valueOf(admitted.incrementAndGet());
                return head.header("x-user").orElse(number);
            }
        });
    }

    private URI startStrict(Limits limits, Handler handler) throws IOException {
        HttpServer server =
                HttpServer.start(LOOPBACK, limits, new JettyAdapter(handler, new Health(() -> true), limits, clock));
        servers.add(server);
        return server.uri();
    }

    /** Starts a server that answers each request with its body. */
    private URI echo(Limits limits) throws IOException {
        return start(limits, request -> {
            requests.add(request);
            return Reply.of(new Response(200, Map.of("Content-Type", "text/plain"), request.body()));
        });
    }

    private static JsonObject problem(RawClient.Answer answer) {
        assertThat(answer.headers().get("content-type")).isEqualTo("application/problem+json");
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    @Test
    void handlerGetsPathAndQueryAsSent() throws Exception {
        URI server = echo(PATIENT);

        RawClient.once(
                server, "GET /a%2Fb/%2e%2e//c;d=1/..?x=%3D&y=+&&z HTTP/1.1\r\nHost: h:1\r\nX-A: 1\r\nx-a: 2\r\n\r\n");

        Request request = requests.take();
        assertThat(request.path()).isEqualTo("/a%2Fb/%2e%2e//c;d=1/..");
        assertThat(request.query()).isEqualTo("x=%3D&y=+&&z");
        assertThat(request.headers()).containsEntry("x-a", List.of("1", "2")).containsEntry("host", List.of("h:1"));
        assertThat(request.client()).isEqualTo("127.0.0.1");
        assertThat(request.secure()).isFalse();
        assertThat(request.body()).isEmpty();
    }

    @Test
    void connectionServesManyRequests() throws Exception {
        try (RawClient client = new RawClient(echo(PATIENT))) {
            for (String text : List.of("one", "two", "three")) {
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
                assertThat(client.read().body()).isEqualTo(text);
            }
        }
    }

    @Test
    void chunkedBodyArrivesWhole() throws Exception {
        RawClient.Answer answer = RawClient.once(
                echo(PATIENT),
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");

        assertThat(answer.body()).isEqualTo("abcde");
    }

    @Test
    void headIsAGetWithoutBody() throws Exception {
        URI server = start(PATIENT, request -> {
            Response get = new Response(200, Map.of("X-Own", "yes"), new byte[1234]);
            return Reply.of(request.isHead() ? get.withoutBody() : get);
        });

        try (RawClient client = new RawClient(server)) {
            client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\nGET /y HTTP/1.1\r\nHost: h\r\n\r\n");
            RawClient.Answer head = client.read(false);
            RawClient.Answer get = client.read();

            assertThat(head.status()).isEqualTo(200);
            assertThat(head.headers()).containsEntry("content-length", "1234").containsEntry("x-own", "yes");
            assertThat(get.body()).hasSize(1234);
        }
    }

    @Test
    void noResponseNamesTheServer() throws Exception {
        URI server = echo(PATIENT);

        assertThat(RawClient.once(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n").headers())
                .doesNotContainKeys("server", "x-powered-by");
        RawClient.Answer bad = RawClient.once(server, "nonsense\r\n\r\n");
        assertThat(bad.headers()).doesNotContainKeys("server", "x-powered-by");
        assertThat(bad.body()).doesNotContainIgnoringCase("jetty").doesNotContain("<");
        assertThat(bad.headers()).containsEntry("x-content-type-options", "nosniff");
        assertThat(RawClient.once(server, "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n")
                        .headers())
                .containsEntry("cache-control", "no-store");
    }

    @Test
    void bodyOfTheLargestSizeIsAccepted() throws Exception {
        URI server = echo(PATIENT);
        String body = "x".repeat(Request.LARGEST_BODY);

        RawClient.Answer answer = RawClient.once(
                server, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).hasSize(Request.LARGEST_BODY);
    }

    @Test
    void largerBodyIsRefusedBeforeItIsSent() throws Exception {
        try (RawClient client = new RawClient(echo(PATIENT))) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + (Request.LARGEST_BODY + 1) + "\r\n\r\n");

            RawClient.Answer answer = client.read();

            assertThat(answer.status()).isEqualTo(413);
            assertThat(problem(answer).get("code").getAsString()).isEqualTo("TOO_LARGE");
            assertThat(client.isEnded()).isTrue();
            assertThat(requests).isEmpty();
        }
    }

    @Test
    void chunkedBodyIsRefusedWhenItBecomesTooLarge() throws Exception {
        try (RawClient client = new RawClient(echo(PATIENT))) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
            for (int sent = 0; sent < Request.LARGEST_BODY; sent += 0x10000) {
                client.send(chunk);
            }
            client.send("1\r\nx\r\n");

            assertThat(client.read().status()).isEqualTo(413);
            assertThat(requests).isEmpty();
        }
    }

    private static String post(int announced, int sent) {
        return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + announced + "\r\n\r\n" + "x".repeat(sent);
    }

    @Test
    void largeBodyOfAnUnknownCallerIsRefusedBeforeItIsSent() throws Exception {
        URI server = startStrict(PATIENT, request -> Reply.of(new Response(200, Map.of(), request.body())));

        assertThat(RawClient.once(server, post(LargeBodies.SMALL, LargeBodies.SMALL))
                        .status())
                .isEqualTo(200);
        assertThat(RawClient.once(server, post(LargeBodies.SMALL + 1, 0)).status())
                .isEqualTo(413);
        assertThat(RawClient.once(
                                server,
                                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1001\r\n"
                                        + "x".repeat(0x1001))
                        .status())
                .isEqualTo(413);
    }

    @Test
    void fewLargeBodiesAreInMemoryAtOnceAndEachFreesItsPlace() throws Exception {
        URI server = echo(PATIENT);
        List<RawClient> halves = new ArrayList<>();
        for (int i = 0; i < LargeBodies.AT_ONCE; i++) {
            RawClient half = new RawClient(server);
            half.send(post(5_000, 4_999));
            halves.add(half);
        }
        Eventually.holds("all bodies begin", () -> admitted.get() == LargeBodies.AT_ONCE);
        assertThat(RawClient.once(server, post(3, 3)).status()).isEqualTo(200);
        assertThat(RawClient.once(server, post(5_000, 5_000)).status()).isEqualTo(503);

        halves.get(0).send("x");
        assertThat(halves.get(0).read().status()).isEqualTo(200);
        halves.get(1).close();
        Eventually.holds(
                "the client that has gone has left its place",
                () -> RawClient.once(server, post(5_000, 5_000)).status() == 200);
    }

    @Test
    void callerWhoseLargeBodiesDoNotArriveTakesOnePlace() throws Exception {
        URI server = echo(PATIENT);
        List<RawClient> halves = new ArrayList<>();
        for (int i = 0; i <= LargeBodies.AT_ONCE; i++) {
            RawClient half = new RawClient(server);
            half.send(post(5_000, 0).replace("Host: h", "Host: h\r\nX-User: mallory"));
            halves.add(half);
        }
        Eventually.holds("all bodies begin", () -> admitted.get() == halves.size());

        assertThat(RawClient.once(server, post(5_000, 5_000)).status()).isEqualTo(200);
        for (RawClient each : halves) {
            each.close();
        }
    }

    @Test
    void errorEndsTheExchangeAndFreesItsPlace() throws Exception {
        URI server = start(PATIENT, request -> {
            throw new OutOfMemoryError("in a test");
        });

        for (int i = 0; i <= LargeBodies.AT_ONCE; i++) {
            assertThat(RawClient.once(server, post(5_000, 5_000)).status()).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\n folded: c\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nX: \u0000\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "GET http://other/ HTTP/1.1\r\nHost: h\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n",
            })
    void requestThatIsNoHttpGetsAProblem(String bytes) throws Exception {
        RawClient.Answer answer = RawClient.once(echo(PATIENT), bytes);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(problem(answer).get("code").getAsString()).isEqualTo("BAD_REQUEST");
        assertThat(requests).isEmpty();
    }

    @Test
    void headersThatAreTooLargeGetAProblem() throws Exception {
        RawClient.Answer answer = RawClient.once(
                echo(PATIENT), "GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(Limits.HEADERS) + "\r\n\r\n");

        assertThat(problem(answer).get("detail").getAsString()).contains(Limits.HEADERS + " bytes");
    }

    @Test
    void halfABodyEndsByTheIdleTime() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        try (RawClient client = new RawClient(echo(impatient))) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");

            RawClient.Answer answer = client.read();

            assertThat(problem(answer).get("code").getAsString()).isEqualTo("TIMEOUT");
            assertThat(answer.status()).isEqualTo(408);
            assertThat(client.isEnded()).isTrue();
            assertThat(requests).isEmpty();
        }
    }

    @Test
    void bodyThatTricklesEndsByItsOwnLimit() throws Exception {
        Limits impatient = new Limits(1, 1, 64, LONG, SHORT);
        try (RawClient client = new RawClient(echo(impatient))) {
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");

            assertThat(client.read().status()).isEqualTo(408);
            assertThat(client.isEnded()).isTrue();
            assertThat(requests).isEmpty();
        }
    }

    @Test
    void halfAHeaderEndsByTheIdleTime() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        try (RawClient client = new RawClient(echo(impatient))) {
            client.send("POST / HTTP/1.1\r\nHos");

            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void headersThatTrickleEndByTheirOwnLimit() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        try (RawClient client = new RawClient(echo(impatient))) {
            client.send("GET / HTTP/1.1\r\nX: ");
            trickle(client);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void laterHeadersThatTrickleEndToo() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        try (RawClient client = new RawClient(echo(impatient))) {
            client.send(GET);
            client.read();
            trickle(client);
            assertThat(client.isEnded()).isTrue();
        }
    }

    /** Sends a byte from time to time, until the server ends the connection. */
    private static void trickle(RawClient client) {
        try {
            while (true) {
                client.send("x");
                LockSupport.parkNanos(SHORT.toNanos() / 10);
            }
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void oneAddressCannotTakeAllConnections() throws Exception {
        Limits few = new Limits(1, 1, 64, LONG, LONG);
        URI server = echo(few);
        for (int i = 0; i < 100; i++) { // connections that have ended do not count
            assertThat(RawClient.once(server, GET).status()).isEqualTo(200);
        }
        List<RawClient> trickling = new ArrayList<>();
        try {
            for (int i = 0; i < 24; i++) {
                RawClient client = new RawClient(server, "127.0.0.2");
                trickling.add(client);
            }
            Eventually.holds("eight of the 24 connections have ended", () -> {
                for (RawClient client : List.copyOf(trickling)) {
                    if (client.isEndedNow()) {
                        trickling.remove(client);
                        client.close();
                    }
                }
                return trickling.size() == 16;
            });
            assertThat(RawClient.once(server, GET).status()).isEqualTo(200);

            trickling.get(0).close();
            Eventually.holds("the address may connect again", () -> {
                try (RawClient client = new RawClient(server, "127.0.0.2")) {
                    client.send(GET);
                    return client.read().status() == 200;
                } catch (IOException e) {
                    return false;
                }
            });
        } finally {
            for (RawClient client : trickling) {
                client.close();
            }
        }
    }

    @Test
    void probesHaveTheirOwnConnections() throws Exception {
        URI server = echo(new Limits(1, 1, 4, LONG, LONG));
        URI probes = URI.create("http://127.0.0.1:" + servers.get(0).healthPort());
        List<RawClient> all = new ArrayList<>();
        try {
            for (int i = 1; i <= 5; i++) {
                all.add(new RawClient(server, "127.0.0." + i)); // the last one is not accepted
            }
            assertThat(RawClient.once(probes, READY).status()).isEqualTo(200);
            assertThat(RawClient.once(probes, GET).status()).isEqualTo(404);
        } finally {
            for (RawClient client : all) {
                client.close();
            }
        }
    }

    @Test
    void slowBodiesHoldNoThread() throws Exception {
        Limits single = new Limits(1, 1, 64, LONG, LONG);
        URI server = echo(single);
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            RawClient client = new RawClient(server);
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");
            slow.add(client);
        }

        assertThat(RawClient.once(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n").status())
                .isEqualTo(200);

        for (RawClient client : slow) {
            client.close();
        }
    }

    @Test
    void slowHandlerIsNotCutOffByTheIdleTime() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        CountDownLatch idle = new CountDownLatch(1);
        URI server = start(impatient, request -> {
            awaitQuietly(idle);
            return Reply.of(new Response(200, Map.of(), new byte[0]));
        });
        try (RawClient client = new RawClient(server);
                RawClient other = new RawClient(server)) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            for (int times = 0; times < 3; times++) { // each of them ends by the idle time
                try (RawClient silent = new RawClient(server)) {
                    assertThat(silent.isEnded()).isTrue();
                }
            }
            assertThat(other.isEnded()).isTrue();
            idle.countDown();

            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    @Test
    void clientThatDoesNotReadIsCutOff() throws Exception {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        byte[] large = new byte[64 << 20];
        AtomicInteger answered = new AtomicInteger();
        URI server = start(impatient, request -> {
            answered.incrementAndGet();
            return Reply.of(new Response(200, Map.of(), request.path().equals("/small") ? new byte[1] : large));
        });
        try (RawClient client = new RawClient(server)) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            for (int times = 0; times < 3; times++) { // each of them ends by the idle time
                try (RawClient silent = new RawClient(server)) {
                    assertThat(silent.isEnded()).isTrue();
                }
            }

            assertThat(RawClient.once(server, "GET /small HTTP/1.1\r\nHost: h\r\n\r\n")
                            .status())
                    .isEqualTo(200);
            assertThat(answered).hasValue(2);
            long read = 0;
            byte[] buffer = new byte[1 << 16];
            try {
                for (int count = 0;
                        count >= 0;
                        count = client.socket.getInputStream().read(buffer)) {
                    read += count;
                }
            } catch (java.net.SocketException e) { // reset by the server
            }
            assertThat(read).isLessThan(large.length);
        }
    }

    @Test
    void fullPoolRefusesAtOnceAndHealthStillAnswers() throws Exception {
        Limits tiny = new Limits(2, 2, 64, LONG, LONG);
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch release = new CountDownLatch(1);
        URI server = start(tiny, request -> {
            running.countDown();
            awaitQuietly(release);
            return Reply.of(new Response(200, Map.of(), "done".getBytes(StandardCharsets.UTF_8)));
        });
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RawClient client = new RawClient(server);
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            clients.add(client);
        }
        running.await();
        RawClient.Answer refused;
        do { // until both requests of the queue have arrived
            try (RawClient probe = new RawClient(server)) {
                probe.socket.setSoTimeout(500);
                probe.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
                refused = probe.read();
            } catch (java.net.SocketTimeoutException e) { // it has taken a place of the queue
                refused = null;
            }
        } while (refused == null);

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.headers()).containsKey("retry-after");
        assertThat(problem(refused).get("code").getAsString()).isEqualTo("UNAVAILABLE");
        assertThat(RawClient.once(server, "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n")
                        .status())
                .isEqualTo(200);
        assertThat(RawClient.once(server, "GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n")
                        .status())
                .isEqualTo(200);
        release.countDown();
        List<Integer> statuses = new ArrayList<>();
        for (RawClient client : clients) { // a probe may have taken the place of one that arrived late
            statuses.add(client.read().status());
            client.close();
        }
        assertThat(statuses).isSubsetOf(200, 503);
        assertThat(statuses.stream().filter(each -> each == 200))
                .as("those that ran before")
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void consoleIsNotReadyWhileItAnswersNothing() throws Exception {
        CountDownLatch busy = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        URI server = start(new Limits(2, 2, 64, LONG, LONG), request -> {
            busy.countDown();
            awaitQuietly(end);
            return Reply.of(new Response(200, Map.of(), new byte[0]));
        });
        try (RawClient one = new RawClient(server);
                RawClient two = new RawClient(server)) {
            one.send(GET);
            two.send(GET);
            busy.await();
            clock.advance(Workers.STUCK.minusSeconds(1));
            assertThat(RawClient.once(server, READY).status()).isEqualTo(200);
            clock.advance(Duration.ofSeconds(1));
            assertThat(problem(RawClient.once(server, READY)).get("detail").getAsString())
                    .contains("answered no request for 60 s");

            end.countDown();
            one.read();
            two.read();
            Eventually.holds("ready again", () -> RawClient.once(server, READY).status() == 200);
        }
    }

    @Test
    void failingHandlerGetsAProblemWithoutItsCause() throws Exception {
        URI server = start(PATIENT, request -> {
            throw new IllegalStateException("a secret");
        });

        RawClient.Answer answer = RawClient.once(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(problem(answer).get("code").getAsString()).isEqualTo("INTERNAL_ERROR");
        assertThat(answer.body()).doesNotContain("a secret").doesNotContain("IllegalState");
    }

    @Test
    void handlersRunOnTheirOwnThreads() throws Exception {
        BlockingQueue<String> threads = new LinkedBlockingQueue<>();
        URI server = start(PATIENT, request -> {
            threads.add(Thread.currentThread().getName());
            return Reply.of(new Response(204, Map.of(), new byte[0]));
        });

        assertThat(RawClient.once(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n").status())
                .isEqualTo(204);
        assertThat(threads.take()).startsWith("ostraka-console-");
    }

    @Tag("slow")
    @Test
    void stopLetsRunningRequestsEnd() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        URI server = start(PATIENT, request -> {
            running.countDown();
            awaitQuietly(release);
            return Reply.of(new Response(200, Map.of(), "done".getBytes(StandardCharsets.UTF_8)));
        });
        try (RawClient client = new RawClient(server);
                RawClient idle = new RawClient(server)) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            running.await();
            Thread stop = new Thread(() -> servers.get(0).close());
            stop.start();
            assertThat(idle.isEnded()).isTrue(); // the stop has begun
            release.countDown();

            assertThat(client.read().body()).isEqualTo("done");
            stop.join();
        }
    }

    /** A stream whose frames a test offers. */
    private static final class Frames implements Subscription {
        final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
        final CountDownLatch closed = new CountDownLatch(1);
        private volatile byte @Nullable [] endless;
        private volatile Runnable listener = () -> {};

        void offer(String text) {
            waiting.add(text.getBytes(StandardCharsets.UTF_8));
            listener.run();
        }

        @Override
        public byte @Nullable [] poll() {
            return closed.getCount() == 0 ? null : endless != null ? endless : waiting.poll();
        }

        @Override
        public void onReady(Runnable each) {
            listener = each;
            each.run();
        }

        @Override
        public boolean ended() {
            return closed.getCount() == 0;
        }

        @Override
        public void close() {
            closed.countDown();
            listener.run();
        }
    }

    private URI stream(Frames frames) throws IOException {
        Limits impatient = new Limits(1, 1, 64, SHORT, LONG);
        return start(impatient, request -> Reply.of(frames));
    }

    @Tag("slow")
    @Test
    void quietStreamStaysOpenUntilItEnds() throws Exception {
        Frames frames = new Frames();
        URI server = stream(frames);
        try (RawClient client = new RawClient(server)) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.line())
                    .as("the headers arrive before the first event")
                    .isEqualTo("HTTP/1.1 200 OK");
            for (int times = 0; times < 3; times++) { // each of them ends by the idle time
                try (RawClient silent = new RawClient(server)) {
                    assertThat(silent.isEnded()).isTrue();
                }
            }
            frames.offer("data: 1\n\n");
            frames.offer("data: 2\n\n");
            String line = client.line();
            while (!line.equals("data: 2")) {
                line = client.line();
            }
            assertThat(frames.closed.getCount()).isEqualTo(1);
            frames.close();

            assertThat(client.isEndedAfterRest()).isTrue();
        }
    }

    @Test
    void streamOfAClientThatDoesNotReadIsClosed() throws Exception {
        Frames frames = new Frames();
        frames.endless = new byte[1 << 16];
        try (RawClient client = new RawClient(stream(frames))) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");

            frames.closed.await();

            assertThat(frames.ended()).isTrue();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
