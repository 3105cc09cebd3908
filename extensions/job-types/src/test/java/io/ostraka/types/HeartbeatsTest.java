package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunStarted;
import io.ostraka.core.time.Clock;
import io.ostraka.fixtures.CapturedLog;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.Powers;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the requests that a monitoring service receives after successful runs. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HeartbeatsTest {
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10); // it overflows, as a real one may
    private final Clock clock = new Clock() {
        @Override
        public Instant now() {
            return TestContext.NOW;
        }

        @Override
        public long monotonicNanos() {
            return nanos.get();
        }
    };

    private Heartbeats heartbeats(URI namespace, Map<String, URI> jobs) {
        return new Heartbeats(
                new Powers.HeartbeatTargets(namespace, jobs, INTERVAL),
                Duration.ofMillis(1),
                List.of("localhost"),
                clock);
    }

    private static void awaitFailures(Heartbeats heartbeats, long count) {
        Eventually.holds(count + " failures", () -> heartbeats.failures() >= count);
    }

    private static void awaitSuccesses(Heartbeats heartbeats, long count) {
        Eventually.holds(count + " successes", () -> heartbeats.successes() >= count);
    }

    private static RunEnded ended(String job, String item, ItemOutcome outcome) {
        Instant at = TestContext.NOW;
        Claim claim = new Claim(job, item, 0, "run", at, false, 2, 1, 1, "nonce", 1, at, null, "a@1@1", at);
        return new RunEnded(claim, 1, outcome, null, at, Duration.ZERO, at, at);
    }

    @Test
    void sendsOneGetInAnInterval() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(200));
                Heartbeats heartbeats = heartbeats(server.uri("/ping"), Map.of())) {
            heartbeats.on(ended("settle", "0", ItemOutcome.FAILED));
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            TestServer.Received first = server.received.take();
            awaitSuccesses(heartbeats, 1);
            nanos.addAndGet(INTERVAL.toNanos() - 1);
            heartbeats.on(ended("report", "0", ItemOutcome.SUCCEEDED));
            nanos.addAndGet(1);
            heartbeats.on(ended("report", "1", ItemOutcome.SUCCEEDED));
            heartbeats.close();

            assertThat(first.exchange().getRequestMethod()).isEqualTo("GET");
            assertThat(first.exchange().getRequestURI()).hasPath("/ping");
            assertThat(server.received).hasSize(1);
            assertThat(heartbeats.failures()).isZero();
            assertThat(heartbeats.receives(RunEnded.class)).isTrue();
            assertThat(heartbeats.receives(RunStarted.class)).isFalse();
        }
    }

    @Test
    void jobWithAFailedItemSendsNothing() throws Exception {
        try (TestServer server = new TestServer(TestServer.status(200));
                Heartbeats heartbeats = heartbeats(null, Map.of("settle", server.uri("/settle")))) {
            heartbeats.on(ended("report", "0", ItemOutcome.SUCCEEDED));
            heartbeats.on(ended("settle", "1", ItemOutcome.TIMED_OUT));
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            heartbeats.on(ended("settle", "1", ItemOutcome.CANCELLED));
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            heartbeats.close();
            assertThat(server.received).isEmpty();
        }
        Heartbeat heartbeat = new Heartbeat("settle");
        assertThat(heartbeat.beats("settle", "1", ItemOutcome.FAILED)).isFalse();
        assertThat(heartbeat.beats("settle", "0", ItemOutcome.SUCCEEDED)).isFalse();
        assertThat(heartbeat.beats("settle", "1", ItemOutcome.SUCCEEDED)).isTrue();
    }

    @Test
    void failureOfAnItemThatHasMovedAwayIsForgotten() {
        Heartbeat heartbeat = new Heartbeat("settle");
        heartbeat.beats("settle", "1", ItemOutcome.FAILED);
        for (int round = 0; round < Heartbeat.ROUNDS; round++) {
            assertThat(heartbeat.beats("settle", "0", ItemOutcome.SUCCEEDED)).isFalse();
        }
        assertThat(heartbeat.beats("settle", "0", ItemOutcome.SUCCEEDED)).isTrue();
        for (int round = 0; round < 2 * Heartbeat.ROUNDS; round++) {
            heartbeat.beats("settle", "1", ItemOutcome.FAILED);
            assertThat(heartbeat.beats("settle", "0", ItemOutcome.SUCCEEDED))
                    .as("an item that fails in each round")
                    .isFalse();
        }
    }

    @Test
    void failureForAnotherReasonIsLoggedToo() throws Exception {
        AtomicInteger status = new AtomicInteger(500);
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(exchange -> exchange.sendResponseHeaders(status.get(), -1));
                Heartbeats heartbeats = heartbeats(server.uri("/"), Map.of())) {
            for (int beat = 1; beat <= 2; beat++) {
                heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
                awaitFailures(heartbeats, beat);
                nanos.addAndGet(INTERVAL.toNanos());
                status.set(404);
            }
            assertThat(log.text().lines().filter(line -> line.contains("did not accept it")))
                    .satisfiesExactly(line -> assertThat(line).contains("answered with 500"), line -> assertThat(line)
                            .contains("answered with 404"));
        }
    }

    @Test
    void failuresAreLoggedOnceAndCounted() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        int down = 2 * HeartbeatSender.ATTEMPTS;
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(
                        exchange -> exchange.sendResponseHeaders(requests.incrementAndGet() <= down ? 500 : 200, -1));
                Heartbeats heartbeats = heartbeats(server.uri("/secret-uuid"), Map.of())) {
            for (int beat = 1; beat <= 2; beat++) {
                heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
                awaitFailures(heartbeats, beat);
                assertThat(server.received).hasSize(HeartbeatSender.ATTEMPTS * beat);
                nanos.addAndGet(INTERVAL.toNanos());
            }
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            awaitSuccesses(heartbeats, 1);

            assertThat(heartbeats.failures()).isEqualTo(2);
            assertThat(log.text()
                            .lines()
                            .filter(line -> line.contains("heartbeat of the namespace: localhost did not")))
                    .hasSize(1)
                    .allMatch(line -> line.contains("answered with 500"));
            assertThat(log.text()).doesNotContain("secret-uuid");
        }
    }

    @Test
    void hangingServerDelaysNeitherTheCallerNorTheOtherTarget() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (TestServer hanging = new TestServer(exchange -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                TestServer server = new TestServer(TestServer.status(200));
                Heartbeats heartbeats = heartbeats(hanging.uri("/"), Map.of("settle", server.uri("/settle")))) {
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            hanging.received.take();
            awaitSuccesses(heartbeats, 1);
            nanos.addAndGet(INTERVAL.toNanos());
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            awaitSuccesses(heartbeats, 2);
            assertThat(hanging.received).as("one request at a time").isEmpty();
            heartbeats.close(Duration.ofMillis(10));
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED)); // has no effect
            over.countDown();
        }
    }

    @Test
    void targetsAreGuarded() throws Exception {
        assertThatThrownBy(() -> heartbeats(URI.create("file:///etc/passwd"), Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
        try (CapturedLog log = new CapturedLog();
                TestServer server = new TestServer(TestServer.status(200));
                Heartbeats heartbeats = new Heartbeats(
                        new Powers.HeartbeatTargets(server.uri("/"), Map.of(), INTERVAL),
                        Duration.ofMillis(1),
                        List.of(),
                        clock)) {
            heartbeats.on(ended("settle", "0", ItemOutcome.SUCCEEDED));
            heartbeats.close();
            assertThat(heartbeats.failures()).isEqualTo(1);
            assertThat(server.received).isEmpty();
            assertThat(log.text()).contains("not public");
        }
    }
}
