package io.ostraka.console.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.Reply;
import io.ostraka.console.live.Subscription;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the servlet in a real container. */
@ExpectedErrors({"request GET /app/ostraka/bug failed", "request POST /app/ostraka/error failed"})
class ConsoleServletTest {
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final BlockingQueue<ManualStream> streams = new LinkedBlockingQueue<>();
    private Container container;

    /** A stream of events that the test fills. */
    private static class ManualStream implements Subscription {
        private final Queue<byte[]> frames = new ConcurrentLinkedQueue<>();
        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile boolean ended;
        private volatile Runnable listener = () -> {};

        void push(String frame) {
            frames.add(frame.getBytes(StandardCharsets.UTF_8));
            listener.run();
        }

        @Override
        public byte[] poll() {
            return ended ? null : frames.poll();
        }

        @Override
        public void onReady(Runnable ready) {
            listener = ready;
            ready.run();
        }

        @Override
        public boolean ended() {
            return ended;
        }

        @Override
        public void close() {
            ended = true;
            closed.countDown();
            listener.run();
        }
    }

    @BeforeEach
    void start() throws Exception {
        container = new Container(new ConsoleServlet(new ConsoleServlet.Handler() {
            @Override
            public Reply handle(Request request, HttpServletRequest sent) {
                return answer(request);
            }

            @Override
            public String admitLargeBody(Request head, HttpServletRequest sent) {
                return head.header("x-user").orElseThrow(() -> new Problem(Problem.Code.UNAUTHENTICATED, "log in"));
            }
        }));
    }

    private Reply answer(Request request) {
        if (request.path().startsWith("/events")) {
            ManualStream stream = request.path().endsWith("/flood") ? new Flood() : new ManualStream();
            streams.add(stream);
            return Reply.of(stream);
        }
        requests.add(request);
        return switch (request.path()) {
            case "/bug" -> throw new IllegalStateException("secret");
            case "/error" -> throw new OutOfMemoryError("in a test");
            case "/problem" -> throw new Problem(Problem.Code.REFUSED, "no");
            default ->
                Reply.of(new Response(
                        202,
                        Map.of("Content-Type", "application/json", "ETag", "\"7\""),
                        "{\"ü\":1}".getBytes(StandardCharsets.UTF_8)));
        };
    }

    /** A stream that always has something to write. */
    private static final class Flood extends ManualStream {
        private final byte[] frame = ("data: " + "x".repeat(16_000) + "\n\n").getBytes(StandardCharsets.UTF_8);
        private final AtomicInteger polls = new AtomicInteger();

        @Override
        public byte[] poll() {
            polls.incrementAndGet();
            return ended() ? null : frame;
        }
    }

    @AfterEach
    void stop() throws Exception {
        container.close();
    }

    private HttpRequest.Builder get(String path) {
        return container.as("ann", "OSTRAKA_VIEWER", path);
    }

    @Test
    void requestReachesTheHandlerAsItWasSent() throws Exception {
        HttpResponse<String> response = container.send(get("/api/a%20b/%7e?x=%20&y=1+2")
                .header("If-Match", "\"1\"")
                .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"ü\"}")));
        Request request = requests.take();
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.path()).isEqualTo("/api/a%20b/%7e");
        assertThat(request.query()).isEqualTo("x=%20&y=1+2");
        assertThat(request.header("if-match")).contains("\"1\"");
        assertThat(request.body()).isEqualTo("{\"reason\":\"ü\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(request.client()).isEqualTo("127.0.0.1");
        assertThat(request.secure()).isFalse();

        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(response.body()).isEqualTo("{\"ü\":1}");
        assertThat(response.headers().firstValue("ETag")).contains("\"7\"");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
    }

    @Tag("slow")
    @Test
    void pathOfTheMappingItselfGetsASlash() throws Exception {
        HttpResponse<String> response = container.send(get("?x=%20"));
        assertThat(response.statusCode()).isEqualTo(308);
        assertThat(response.uri()
                        .resolve(response.headers().firstValue("Location").orElseThrow()))
                .hasPath("/app/ostraka/")
                .hasQuery("x= ");
        assertThat(requests).isEmpty();
        container.send(get("/"));
        assertThat(requests.take().path()).isEqualTo("/");
    }

    @Test
    void encodedPathOfTheMappingIsNotARoute() throws Exception {
        assertThat(status("GET /app/%6fstraka/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .isEqualTo(404);
        assertThat(requests).isEmpty();
    }

    private int status(String raw) throws IOException {
        try (Socket socket = container.raw(raw)) {
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            return Integer.parseInt(line.split(" ")[1]);
        }
    }

    @Test
    void problemBecomesTheResponse() throws Exception {
        HttpResponse<String> response = container.send(get("/problem"));
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(response.body()).contains("\"REFUSED\"");
    }

    @Test
    void bugDoesNotShowItsCause() throws Exception {
        HttpResponse<String> response = container.send(get("/bug"));
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).contains("INTERNAL_ERROR").doesNotContain("secret", "Exception");
    }

    @Test
    void largeBodyOfAnUnknownCallerIsNotRead() throws Exception {
        try (Socket socket =
                container.raw("POST /app/ostraka/api HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n")) {
            assertThat(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                            .readLine())
                    .contains(" 401 ");
        }
        assertThat(requests).isEmpty();
    }

    @Test
    void fewLargeBodiesAreInMemoryAtOnce() throws Exception {
        String half = "POST /app/ostraka/api HTTP/1.1\r\nHost: h\r\nX-User: user-%s\r\nContent-Length: 5000\r\n\r\nx";
        HttpRequest.Builder large = get("/api").POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5000]));
        List<Socket> halves = new ArrayList<>();
        // a body that arrives while the large one has a place is refused, so each attempt begins another body
        Eventually.holds("a further large body is refused", () -> {
            halves.add(container.raw(half.formatted(halves.size())));
            return container.send(large).statusCode() == 503;
        });
        for (Socket each : halves) {
            each.close();
        }
        Eventually.holds(
                "the clients that have gone have left their places",
                () -> container.send(large).statusCode() == 202);
    }

    @Test
    void errorFreesThePlaceOfALargeBody() throws Exception {
        for (int i = 0; i <= LargeBodies.AT_ONCE; i++) {
            assertThat(refusal(get("/error").POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5000]))))
                    .isEqualTo(500);
        }
    }

    @Test
    void bodyThatIsTooLargeIsRefused() throws Exception {
        byte[] large = new byte[Request.LARGEST_BODY + 1];
        assertThat(refusal(get("/api").POST(HttpRequest.BodyPublishers.ofByteArray(large))))
                .isEqualTo(413);
        assertThat(refusal(get("/api")
                        .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))))
                .as("without Content-Length")
                .isEqualTo(413);
        byte[] largest = new byte[Request.LARGEST_BODY];
        container.send(get("/api").POST(HttpRequest.BodyPublishers.ofByteArray(largest)));
        assertThat(requests.take().body()).hasSize(Request.LARGEST_BODY);
        assertThat(requests).isEmpty();
    }

    /** Repeats a request until the client reads the answer: the server may close the connection before it has read all. */
    private int refusal(HttpRequest.Builder request) throws Exception {
        while (true) {
            try {
                return container.send(request).statusCode();
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void framesReachTheClientWhenTheyArePushed() throws Exception {
        HttpResponse<InputStream> response =
                container.client().send(get("/events").build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
        assertThat(response.headers().firstValue("X-Accel-Buffering")).contains("no");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        ManualStream stream = streams.take();
        BufferedReader reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        for (int i = 0; i < 1_000; i++) {
            stream.push("data: " + i + "\n\n");
            if (i % 100 == 99) { // wait for the client from time to time
                for (int line = i - 99; line <= i; line++) {
                    assertThat(reader.readLine()).isEqualTo("data: " + line);
                    assertThat(reader.readLine()).isEmpty();
                }
            }
        }
        stream.close();
        assertThat(reader.readLine()).as("the end").isNull();
    }

    @Test
    void clientsThatDoNotReadBlockNoThread() throws Exception {
        List<Socket> stalled = new ArrayList<>();
        for (int i = 0; i < 3 * Container.THREADS; i++) {
            stalled.add(container.raw("GET /app/ostraka/events/flood HTTP/1.1\r\nHost: x\r\n\r\n"));
            streams.take();
        }
        assertThat(container.send(get("/api")).statusCode()).isEqualTo(202);
        for (Socket each : stalled) {
            each.close();
        }
    }

    @Test
    void streamIsClosedAfterItsClientHasGone() throws Exception {
        Socket socket = container.raw("GET /app/ostraka/events HTTP/1.1\r\nHost: x\r\n\r\n");
        ManualStream stream = streams.take();
        stream.push("data: 1\n\n");
        assertThat(socket.getInputStream().read()).isPositive();
        socket.setSoLinger(true, 0); // the connection is reset
        socket.close();
        Eventually.holds("the end of the stream", () -> {
            stream.push(": heartbeat\n\n");
            return stream.closed.getCount() == 0;
        });
        assertThat(stream.ended()).isTrue();
    }

    @Test
    void stalledStreamThatIsClosedEndsItsConnection() throws Exception {
        Socket socket = container.raw("GET /app/ostraka/events/flood HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        Flood stream = (Flood) streams.take();
        InputStream in = socket.getInputStream();
        Eventually.holds("a poll", () -> stream.polls.get() > 0);
        stream.close();
        byte[] buffer = new byte[65_536];
        try {
            while (in.read(buffer) >= 0) {
                // the rest of what was written before
            }
        } catch (IOException e) {
            // the container may also reset the connection
        }
        assertThat(stream.polls).hasPositiveValue();
    }
}
