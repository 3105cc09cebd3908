package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.Secret;
import io.ostraka.core.time.Clock;
import io.ostraka.http.HttpGuard;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests alarms that are sent to another server. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AlarmWebhookTest {
    private static final String SECRET = "hunter2-ü";
    private static final Alarm FIRING = AlarmTemplate.example(Alarm.State.FIRING);
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

    private static AlarmWebhook webhook(URI target, @Nullable Secret secret, @Nullable AlarmTemplate template) {
        return new AlarmWebhook(target, secret, template, HttpGuard.of(target, List.of("localhost")), CLOCK);
    }

    private static String text(TestServer.Received request) {
        return new String(request.body(), StandardCharsets.UTF_8);
    }

    @Test
    void sendsAlarmInOneSignedPost() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(204))) {
            webhook(server.uri("/alarms"), SECRET::toCharArray, null).handle(FIRING);
            TestServer.Received request = server.received.take();

            assertThat(request.exchange().getRequestMethod()).isEqualTo("POST");
            assertThat(request.header("Content-Type")).isEqualTo("application/json; charset=utf-8");
            assertThat(request.header("Ostraka-Delivery")).isEqualTo(FIRING.idempotencyKey());
            assertThat(request.header("Ostraka-Timestamp")).isEqualTo("" + TestContext.NOW.getEpochSecond());
            Mac mac = Mac.getInstance("HmacSHA256"); // as documented
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((request.header("Ostraka-Timestamp") + ".").getBytes(StandardCharsets.UTF_8));
            assertThat(request.header("Ostraka-Signature"))
                    .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(request.body())));
            assertThat(text(request))
                    .isEqualTo("{\"format\":1,\"event\":\"alarm-firing\",\"id\":\"0123456789abcdef\","
                            + "\"idempotencyKey\":\"0123456789abcdef/FIRING\",\"namespace\":\"orders\","
                            + "\"job\":\"settle-orders\",\"kind\":\"MISSED\",\"state\":\"FIRING\","
                            + "\"since\":\"2026-01-01T00:00:00Z\",\"at\":\"2026-01-01T00:05:00Z\","
                            + "\"text\":\"This is an example with \\\"quotes\\\".\",\"items\":[\"0\",\"1\"],"
                            + "\"itemCount\":2,\"labels\":{\"owner\":\"payments\"}}");
            assertThat(server.received).isEmpty();
        }
    }

    @Test
    void repetitionHasTheSameDeliveryAndTheEndHasAnotherOne() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(503))) {
            AlarmWebhook webhook = webhook(server.uri("/"), SECRET::toCharArray, null);
            for (Alarm alarm : List.of(FIRING, FIRING, AlarmTemplate.example(Alarm.State.RESOLVED))) {
                assertThatThrownBy(() -> webhook.handle(alarm)).isInstanceOf(IOException.class);
            }
            TestServer.Received first = server.received.take();

            assertThat(server.received.take().header("Ostraka-Delivery")).isEqualTo(first.header("Ostraka-Delivery"));
            TestServer.Received end = server.received.take();
            assertThat(end.header("Ostraka-Delivery")).isEqualTo("0123456789abcdef/RESOLVED");
            assertThat(text(end)).contains("\"event\":\"alarm-resolved\"");
        }
    }

    @Test
    void sendsTemplateWithoutSignatureIfItHasNoSecret() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(200))) {
            webhook(server.uri("/"), null, AlarmTemplate.named("slack")).handle(FIRING);
            webhook(server.uri("/"), SECRET::toCharArray, AlarmTemplate.text("${kind} of ${job}"))
                    .handle(FIRING);
            TestServer.Received chat = server.received.take();
            TestServer.Received plain = server.received.take();

            assertThat(chat.exchange().getRequestHeaders()).doesNotContainKey("Ostraka-Signature");
            assertThat(JsonParser.parseString(text(chat))
                            .getAsJsonObject()
                            .get("text")
                            .getAsString())
                    .isEqualTo("MISSED FIRING: job 'settle-orders'");
            assertThat(plain.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
            assertThat(plain.header("Ostraka-Signature")).startsWith("sha256=");
            assertThat(text(plain)).isEqualTo("MISSED of settle-orders");
        }
    }

    @Test
    void exceptionHasTheAnswerButNeitherSecretNorPath() throws Exception {
        try (TestServer server = new TestServer(exchange -> {
            String answer = "invalid_routing_key hunter2-ü at "
                    + exchange.getRequestURI().getRawPath() + "?"
                    + exchange.getRequestURI().getRawQuery();
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(400, body.length);
            exchange.getResponseBody().write(body);
        })) {
            AlarmWebhook webhook = webhook(
                    server.uri("/services/T0/B0/x9?token=x8"), SECRET::toCharArray, AlarmTemplate.named("pagerduty"));

            assertThatThrownBy(() -> webhook.handle(FIRING))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("localhost answered with 400: invalid_routing_key")
                    .hasMessageNotContainingAny("hunter2", "x9", "x8");
        }
    }

    @Test
    void failsIfTheServerIsDownOrItsAddressIsNotPublic() throws Exception {
        URI gone;
        try (TestServer server = new TestServer(TestServer.status(200))) {
            gone = server.uri("/services/x9");
            AlarmWebhook guarded = new AlarmWebhook(gone, null, null, HttpGuard.of(gone, List.of()), CLOCK);

            assertThatThrownBy(() -> guarded.handle(FIRING))
                    .isInstanceOf(HttpGuard.Refused.class)
                    .hasMessageContaining("not public")
                    .hasMessageNotContaining("x9");
            assertThat(server.received).isEmpty();
        }
        assertThatThrownBy(() -> webhook(gone, null, null).handle(FIRING))
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("x9");
    }

    /** Waits for the library's own limit, because nothing else ends the request. */
    @Tag("slow")
    @Test
    void givesUpAServerThatDoesNotAnswer() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (TestServer server = new TestServer(exchange -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        })) {
            AlarmWebhook webhook = webhook(server.uri("/services/x9"), null, AlarmTemplate.named("slack"));
            assertThatThrownBy(() -> webhook.handle(FIRING))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no complete answer")
                    .hasMessageNotContaining("x9");
            over.countDown();
        }
    }

    @Test
    void refusesTemplatesThatCannotWork() {
        assertThatCode(() -> AlarmWebhook.check(AlarmTemplate.json("{\"a\": \"${text}\"}"), false))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> AlarmWebhook.check(AlarmTemplate.json("{\"a\": ${text}}"), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not JSON")
                .hasMessageContaining("accepted: JSON with placeholders");
        assertThatThrownBy(() -> AlarmWebhook.check(AlarmTemplate.json(""), true))
                .hasMessageContaining("it is empty");
        assertThatThrownBy(() -> AlarmWebhook.check(AlarmTemplate.named("pagerduty"), false))
                .hasMessageContaining("the webhook has no secret");
    }
}
