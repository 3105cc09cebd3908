package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpHandler;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.time.Clock;
import io.ostraka.fixtures.CapturedLog;
import io.ostraka.http.HttpGuard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests failures that are sent to another server. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WebhookErrorHandlerTest {
    private static final String SECRET = "hunter2-ü";

    private static final Clock CLOCK = new Clock() {
        @Override
        public Instant now() {
            return TestContext.NOW;
        }

        @Override
        public long monotonicNanos() {
            return 0;
        }
    };

    private static WebhookErrorHandler webhook(TestServer server, Duration closing) {
        return new WebhookErrorHandler(
                server.uri("/failures"),
                SECRET::toCharArray,
                HttpGuard.of(server.uri("/"), List.of("localhost")),
                CLOCK,
                Duration.ofMillis(1),
                closing);
    }

    private static ItemFailure failure(String run) {
        return new ItemFailure(
                "settle",
                "3",
                run,
                TestContext.NOW,
                2,
                "a@1@1",
                ItemOutcome.FAILED,
                "java.io.IOException",
                "no \"stock\" <here> " + "x".repeat(5000));
    }

    private static HttpHandler statuses(Integer... statuses) {
        ConcurrentLinkedQueue<Integer> left = new ConcurrentLinkedQueue<>(List.of(statuses));
        return exchange -> {
            Integer status = left.poll();
            exchange.sendResponseHeaders(status == null ? 200 : status, -1);
        };
    }

    private static JsonObject json(TestServer.Received request) {
        return JsonParser.parseString(new String(request.body(), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }

    @Test
    void sendsFailureInOneSignedPost() throws Exception {
        try (TestServer server = new TestServer(statuses());
                WebhookErrorHandler webhook = webhook(server, Duration.ofSeconds(30))) {
            webhook.handle(failure("run-1"), new Exception());
            TestServer.Received request = server.received.take();

            assertThat(request.exchange().getRequestMethod()).isEqualTo("POST");
            assertThat(request.header("Content-Type")).isEqualTo("application/json; charset=utf-8");
            assertThat(request.header("Ostraka-Timestamp")).isEqualTo("" + TestContext.NOW.getEpochSecond());
            Mac mac = Mac.getInstance("HmacSHA256"); // as documented
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((request.header("Ostraka-Timestamp") + ".").getBytes(StandardCharsets.UTF_8));
            assertThat(request.header("Ostraka-Signature"))
                    .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(request.body())));
            JsonObject json = json(request);
            assertThat(json.remove("id").getAsString()).isEqualTo(request.header("Ostraka-Delivery"));
            assertThat(json.remove("errorMessage").getAsString()).hasSize(4096).startsWith("no \"stock\" <here> xxx");
            assertThat(json)
                    .hasToString("{\"format\":1,\"event\":\"item-failed\",\"jobName\":\"settle\",\"item\":\"3\","
                            + "\"runId\":\"run-1\",\"fireTime\":\"2026-01-01T00:00:00Z\",\"attempt\":2,"
                            + "\"instanceId\":\"a@1@1\",\"outcome\":\"FAILED\",\"errorType\":\"java.io.IOException\"}");
        }
    }

    @Test
    void retriesUnderTheSameIdBeforeTheNextFailure() throws Exception {
        try (TestServer server = new TestServer(statuses(503, 429));
                WebhookErrorHandler webhook = webhook(server, Duration.ofSeconds(30))) {
            webhook.handle(failure("run-1"), new Exception());
            webhook.handle(failure("run-2"), new Exception());
            TestServer.Received first = server.received.take();
            TestServer.Received again = server.received.take();
            TestServer.Received andAgain = server.received.take();

            assertThat(again.header("Ostraka-Delivery"))
                    .isEqualTo(first.header("Ostraka-Delivery"))
                    .isEqualTo(andAgain.header("Ostraka-Delivery"));
            assertThat(json(server.received.take()).get("runId").getAsString()).isEqualTo("run-2");
            assertThat(webhook.dropped()).isZero();
        }
    }

    @Test
    void dropsRefusedFailureAtOnceAndOthersAfterRetries() throws Exception {
        Integer[] statuses = new Integer[1 + WebhookErrorHandler.ATTEMPTS];
        Arrays.fill(statuses, 500);
        statuses[0] = 400;
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(statuses(statuses));
                WebhookErrorHandler webhook = webhook(server, Duration.ofSeconds(30))) {
            webhook.handle(failure("run-1"), new Exception());
            webhook.handle(failure("run-2"), new Exception());
            webhook.handle(failure("run-3"), new Exception());
            assertThat(json(server.received.take()).get("runId").getAsString()).isEqualTo("run-1");
            for (int i = 0; i < WebhookErrorHandler.ATTEMPTS; i++) {
                assertThat(json(server.received.take()).get("runId").getAsString())
                        .isEqualTo("run-2");
            }
            assertThat(json(server.received.take()).get("runId").getAsString()).isEqualTo("run-3");

            assertThat(webhook.dropped()).isEqualTo(2);
            assertThat(log.text())
                    .contains("answered with 400; it was dropped after 1 attempts")
                    .contains("answered with 500; it was dropped after " + WebhookErrorHandler.ATTEMPTS)
                    .doesNotContain("hunter2");
        }
    }

    @Tag("slow")
    @Test
    void countsDroppedFailuresAndLogsOnce() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(exchange -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.sendResponseHeaders(200, -1);
                })) {
            try (WebhookErrorHandler webhook = webhook(server, Duration.ofSeconds(30))) {
                webhook.handle(failure("run-0"), new Exception());
                server.received.take(); // this failure is being sent, and the next ones wait
                for (int i = 0; i < WebhookErrorHandler.WAITING + 10; i++) {
                    webhook.handle(failure("run-" + i), new Exception());
                }
                assertThat(webhook.dropped()).isEqualTo(10);
                assertThat(log.text().lines().filter(line -> line.contains("further ones are dropped")))
                        .hasSize(1);
                over.countDown();
            }
            assertThat(server.received).as("closing waits for what can be told").hasSize(WebhookErrorHandler.WAITING);
        }
    }

    @Test
    void closingDoesNotWaitForAServerThatDoesNotAnswer() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(exchange -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })) {
            WebhookErrorHandler webhook = webhook(server, Duration.ofMillis(10));
            webhook.handle(failure("run-0"), new Exception());
            webhook.handle(failure("run-1"), new Exception());
            server.received.take();
            webhook.close();

            assertThat(log.text()).contains("closing; 2 failures were not delivered to localhost");
            webhook.handle(failure("run-2"), new Exception());
            assertThat(webhook.dropped()).isGreaterThanOrEqualTo(2);
            over.countDown();
        }
    }
}
