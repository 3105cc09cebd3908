package io.ostraka.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests 300 instances that ask one platform, in virtual time. */
class PollingTest {
    private static final int INSTANCES = 300;
    private static final Pattern NONCE = Pattern.compile("nonce=\"([^\"]+)\"");

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparing(Task::at).thenComparing(Task::number));
    private final KeyPair keys = TestPlatform.keys();
    private final Map<Long, Integer> requests = new java.util.TreeMap<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long number;
    private boolean down;
    private long revision = 1;

    private record Task(Instant at, long number, Runnable run) {}

    private final Clock clock = new Clock() {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    };

    private final RemoteConfiguration.Ticker ticker = new RemoteConfiguration.Ticker() {
        @Override
        public void after(Duration pause, Runnable task) {
            tasks.add(new Task(now.plus(pause), number++, task));
        }

        @Override
        public void close() {}
    };

    private CompletionStage<Platform.Reply> answer(HttpRequest request) {
        requests.merge(now.getEpochSecond(), 1, Integer::sum);
        if (down) {
            return CompletableFuture.failedFuture(new IOException("refused"));
        }
        Matcher nonce =
                NONCE.matcher(request.headers().firstValue("Signature-Input").orElseThrow());
        assertThat(nonce.find()).isTrue();
        JsonObject payload = new JsonObject();
        payload.addProperty("schema", Answer.SCHEMA);
        payload.addProperty("application", "orders");
        payload.addProperty("environment", "default");
        payload.addProperty("revision", revision);
        payload.addProperty("nonce", nonce.group(1));
        payload.addProperty("issuedAt", now.toString());
        if (request.headers().firstValue("If-None-Match").equals(java.util.Optional.of("\"" + revision + "\""))) {
            payload.addProperty("unchanged", true);
        } else {
            JsonObject jobs = new JsonObject();
            jobs.add("settle", new JsonObject());
            payload.add("jobs", jobs);
        }
        byte[] body = TestPlatform.sign(
                        "{\"alg\":\"EdDSA\",\"kid\":\"p1\",\"typ\":\"ostraka+jws\"}", payload.toString(), keys)
                .getBytes(StandardCharsets.UTF_8);
        return CompletableFuture.completedStage(
                new Platform.Reply(200, HttpHeaders.of(Map.of(), (name, value) -> true), body));
    }

    private List<RemoteConfiguration> start() {
        RemoteBuilder settings = RemoteConfiguration.newBuilder(URI.create("https://platform.example"), "orders")
                .key("orders-1", TestPlatform.secret(TestPlatform.KEY))
                .trust("p1", Base64.getEncoder().encodeToString(keys.getPublic().getEncoded()));
        JobConfiguration settle = JobConfiguration.newBuilder("settle", 1).build();
        List<RemoteConfiguration> all = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            RemoteConfiguration remote =
                    new RemoteConfiguration(settings, Map.of("settle", settle), this::answer, ticker, clock).start();
            remote.follow(changed -> {});
            all.add(remote);
        }
        requests.clear();
        return all;
    }

    private void advance(Duration time) {
        Instant end = now.plus(time);
        while (!tasks.isEmpty() && !tasks.peek().at().isAfter(end)) {
            Task next = tasks.remove();
            now = next.at();
            next.run().run();
        }
        now = end;
    }

    /** Returns the largest number of requests in one second since the last call. */
    private int takePeak() {
        int peak = requests.values().stream().max(Integer::compare).orElse(0);
        requests.clear();
        return peak;
    }

    private int total() {
        return requests.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Tag("slow")
    @Test
    void requestsAreSpreadEvenlyAfterADeploymentAndAfterAnOutage() {
        List<RemoteConfiguration> all = start();

        advance(Duration.ofMinutes(5)); // all instances have started in the same second
        assertThat(total()).as("10 requests a second").isBetween(2_850, 3_180);
        assertThat(takePeak()).as("no herd after the start").isLessThanOrEqualTo(30);

        down = true;
        advance(Duration.ofMinutes(30));
        assertThat(all).allSatisfy(each -> assertThat(each.status().problem()).contains("refused"));
        requests.clear();
        advance(Duration.ofMinutes(30));
        assertThat(total()).as("a platform that is down gets few requests").isLessThan(3_000);
        takePeak();

        down = false;
        revision = 2;
        advance(Duration.ofMinutes(5));
        assertThat(takePeak()).as("no herd after the outage").isLessThanOrEqualTo(30);
        assertThat(all).allSatisfy(each -> {
            assertThat(each.status().problem()).isNull();
            assertThat(each.status().revision()).isEqualTo(2);
        });
    }
}
