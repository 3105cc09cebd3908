package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.ExpectedErrors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the destinations of alarms and heartbeats that the registry's builder names. */
@ExpectedErrors("alarm handler webhook failed to handle alarm bad/FAILING/")
class AlarmDestinationsTest {
    @TempDir
    Path directory;

    @Test
    @Tag("cluster")
    void failureReachesTheWebhookAndSuccessSendsHeartbeats() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        AtomicInteger refusals = new AtomicInteger(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String delivery = exchange.getRequestHeaders().getFirst("Ostraka-Delivery");
            received.add(exchange.getRequestMethod() + " "
                    + exchange.getRequestURI().getPath() + " " + delivery + " " + body);
            boolean refused = delivery != null && refusals.getAndDecrement() > 0;
            exchange.sendResponseHeaders(refused ? 503 : 204, -1);
            exchange.close();
        });
        server.start();
        String host = "localhost:" + server.getAddress().getPort();
        try (TestingServer zooKeeper = TestingServers.start(directory);
                ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(zooKeeper.getConnectString(), "alarming")
                        .allowPrivateHosts(host)
                        .alarmWebhook(
                                URI.create("http://" + host + "/alarms"),
                                "hunter2"::toCharArray,
                                AlarmTemplate.text("${kind} ${state} ${subject} ${label.owner}"))
                        .heartbeat("good", URI.create("http://" + host + "/good"))
                        .connect()) {
            new OneOffJobBootstrap(
                            registry,
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("good", 1).build())
                    .execute();
            assertThat(received.take()).isEqualTo("GET /good null ");

            new OneOffJobBootstrap(
                            registry,
                            (SimpleJob) context -> {
                                throw new IllegalStateException("on purpose");
                            },
                            JobConfiguration.newBuilder("bad", 1)
                                    .errorHandler("IGNORE")
                                    .labels(Map.of("owner", "payments"))
                                    .alarms(AlarmPolicy.defaults().failuresInARow(1))
                                    .build())
                    .execute();
            String first = received.take();
            assertThat(received.take())
                    .as("repetition after the refusal")
                    .isEqualTo(first)
                    .startsWith("POST /alarms bad/FAILING/")
                    .endsWith("/FIRING FAILING FIRING job 'bad' payments");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void wrongDestinationsAreRefusedAtOnce() {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder("localhost:1", "orders");
        URI target = URI.create("https://events.pagerduty.com/v2/enqueue");

        assertThatThrownBy(() -> builder.alarmWebhook(URI.create("ftp://x"), "s"::toCharArray))
                .hasMessageContaining("the scheme is ftp");
        assertThatThrownBy(() -> builder.alarmWebhook(target, AlarmTemplate.named("pagerduty")))
                .hasMessageContaining("has no secret");
        assertThatThrownBy(() -> builder.alarmWebhook(target, AlarmTemplate.json("{")))
                .hasMessageContaining("not JSON");
        assertThatThrownBy(() -> builder.heartbeat(URI.create("file:///x"))).hasMessageContaining("the scheme is file");
        assertThatThrownBy(() -> builder.heartbeat("a b", target)).hasMessageContaining("is 'a b'; accepted");
        assertThatThrownBy(() -> builder.heartbeatInterval(Duration.ZERO)).hasMessageContaining("1 second to 1 day");
    }
}
