package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Request;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(120)
class ConsoleTest {
    private static final String JOBS = "/api/v1/namespaces/orders/jobs";

    @TempDir
    Path directory;

    private final Site site = new Site();
    private final List<String> printed = new ArrayList<>();
    private EmbeddedZooKeeper zooKeeper;

    @BeforeEach
    void startZooKeeper() {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
    }

    @AfterEach
    void stopZooKeeper() {
        zooKeeper.close();
    }

    private Console start(String servers, String... more) throws Exception {
        ConsoleSettings settings = ConsoleSettings.read(site.settings(directory, servers, more), Map.of());
        Console console = Console.start(settings, Limits.DEFAULT, Clock.systemUTC(), printed::add);
        site.at(console.uri());
        return console;
    }

    /** Registers a job that never fires by itself, and closes the instance. */
    private void register(String job) {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(zooKeeper.connectString(), "orders")) {
            registry.schedule(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder(job, 2)
                                    .schedule(Schedule.cron("0 0 3 1 1 ? 2099"))
                                    .build())
                    .scheduled()
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void jobIsListedPausedAndResumed() throws Exception {
        register("settle");
        try (Console console = start(zooKeeper.connectString())) {
            assertThat(Site.json(site.get("/api/v1/namespaces"))
                            .get("namespaces")
                            .toString())
                    .isEqualTo("[\"orders\"]");
            assertThat(site.get(JOBS).body()).contains("\"settle\"").doesNotContain("PAUSED");

            HttpResponse<String> paused = site.post(JOBS + "/settle/pause", "{\"reason\":\"a test\"}");

            assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
            Eventually.holds("the list shows it", () -> site.get(JOBS).body().contains("PAUSED"));
            assertThat(site.get(JOBS + "/settle").body()).contains("a test");
            assertThat(site.post(JOBS + "/settle/resume", "{}").statusCode()).isEqualTo(200);
            Eventually.holds("the list shows it", () -> !site.get(JOBS).body().contains("PAUSED"));
            assertThat(printed).as("the settings name a caller").isEmpty();
        }
    }

    @Tag("slow")
    @Test
    void namespaceThatDoesNotAnswerFailsForItselfOnly() throws Exception {
        register("settle");
        try (Console console =
                start(zooKeeper.connectString(), "namespaces=mistyped,orders", "zookeeper.operation-timeout=PT0.3S")) {
            HttpResponse<String> mistyped = site.get("/api/v1/namespaces/mistyped/jobs");

            assertThat(mistyped.statusCode()).isEqualTo(503);
            assertThat(site.get("/api/v1/namespaces/unknown/jobs").statusCode()).isEqualTo(404);
            Eventually.holds("the other namespace answers", () -> site.get(JOBS).statusCode() == 200);
            Eventually.holds("ready", () -> site.get("/health/ready").statusCode() == 200);
        }
    }

    @Tag("slow")
    @Test
    void historyThatIsNotConfiguredIsNamed() throws Exception {
        register("settle");
        try (Console console = start(zooKeeper.connectString())) {
            HttpResponse<String> answer = site.get("/api/v1/namespaces/orders/history/failures");

            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).contains("history.url");
        }
    }

    @Tag("slow")
    @Test
    void healthNeedsNoCredentialAndNamesNothingInside() throws Exception {
        try (Console console = start(zooKeeper.connectString(), "zookeeper.session-timeout=PT2S")) {
            String probe = " HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n";

            assertThat(RawClient.once(console.uri(), "GET /health/live" + probe).status())
                    .isEqualTo(200);
            assertThat(RawClient.once(console.uri(), "GET /health/ready" + probe)
                            .status())
                    .isEqualTo(200);
            assertThat(RawClient.once(console.uri(), "POST /health/ready" + probe)
                            .status())
                    .isEqualTo(405);
            assertThat(RawClient.once(console.uri(), "GET " + JOBS + probe).status())
                    .as("other requests need a known host")
                    .isEqualTo(421);
            zooKeeper.close();
            Eventually.holds(
                    "not ready",
                    () -> RawClient.once(console.uri(), "GET /health/ready" + probe)
                                    .status()
                            == 503);
            assertThat(RawClient.once(console.uri(), "GET /health/ready" + probe)
                            .body())
                    .contains("ZooKeeper does not answer")
                    .doesNotContain("127.0.0.1");
            assertThat(RawClient.once(console.uri(), "GET /health/live" + probe).status())
                    .isEqualTo(200);
        }
    }

    @Tag("slow")
    @Test
    void consoleStartsWithoutZooKeeper() throws Exception {
        String servers = zooKeeper.connectString();
        zooKeeper.close();

        try (Console console = start(servers, "namespaces=orders", "zookeeper.operation-timeout=PT0.3S")) {
            assertThat(site.get(JOBS).statusCode()).isEqualTo(503);
            assertThat(site.get("/health/live").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void requestForEventsWithAMistakeNeedsACallerAndAnAcceptedHost() throws Exception {
        try (Console console = start(zooKeeper.connectString())) {
            for (String line : List.of(
                    "GET /api/v1/namespaces/orders/events?unknown=1",
                    "POST /api/v1/namespaces/orders/events",
                    "GET /api/v1/namespaces/orders/events?job=-",
                    "GET /api/v1/namespaces/orders/events")) {
                String request = line + " HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\nHost: ";

                assertThat(RawClient.once(console.uri(), request + "localhost\r\n\r\n")
                                .status())
                        .as(line)
                        .isEqualTo(401);
                assertThat(RawClient.once(console.uri(), request + "evil.example\r\n\r\n")
                                .status())
                        .as(line)
                        .isEqualTo(421);
            }
        }
    }

    @Test
    void pagesNeedNoCallerButAnAcceptedHost() throws Exception {
        try (Console console = start(zooKeeper.connectString())) {
            String line = "GET /orders/jobs/ HTTP/1.1\r\nConnection: close\r\nHost: ";
            RawClient.Answer page = RawClient.once(console.uri(), line + "localhost\r\n\r\n");

            assertThat(page.status()).isEqualTo(200);
            assertThat(page.body()).contains("href=\"../../style.css\"");
            assertThat(page.headers())
                    .containsEntry("cache-control", "no-cache")
                    .containsEntry("referrer-policy", "no-referrer")
                    .containsKey("content-security-policy");
            assertThat(RawClient.once(console.uri(), line + "evil.example\r\n\r\n")
                            .status())
                    .isEqualTo(421);
            String head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
            try (RawClient client = new RawClient(console.uri())) {
                client.send(head + head);
                assertThat(client.read(false).headers()).containsKey("content-length");
                assertThat(client.read(false).status()).isEqualTo(200);
            }
        }
    }

    @Tag("slow")
    @Test
    void idleConsoleSendsHeartbeatsAlone() throws Exception {
        register("settle");
        Queue<Request.Type> requests = new ConcurrentLinkedQueue<>();
        CountDownLatch[] heartbeats = {new CountDownLatch(0)};
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(zooKeeper.port())) {
            proxy.loseReply(
                    request -> { // loses none
                        request.operations().forEach(each -> requests.add(each.type()));
                        if (request.operations().stream().allMatch(each -> each.type() == Request.Type.OTHER)) {
                            heartbeats[0].countDown();
                        }
                        return false;
                    });
            try (Console console =
                    start("127.0.0.1:" + proxy.port(), "namespaces=orders", "zookeeper.session-timeout=PT2S")) {
                assertThat(site.get(JOBS + "/settle").statusCode()).isEqualTo(200); // opens the connection
                requests.clear();
                heartbeats[0] = new CountDownLatch(3);
                heartbeats[0].await();
                assertThat(requests).containsOnly(Request.Type.OTHER);
            }
        }
    }

    @Tag("slow")
    @Test
    void liveEventsAreStreamedAndEndAtTheStop() throws Exception {
        register("settle");
        Console console = start(zooKeeper.connectString(), "namespaces=orders");
        try (RawClient client = new RawClient(console.uri())) {
            String authorization = site.request("/")
                    .build()
                    .headers()
                    .firstValue("Authorization")
                    .orElseThrow();
            client.send("GET /api/v1/namespaces/orders/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                    + authorization + "\r\n\r\n");
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
            String line = client.line();
            while (!line.startsWith("data:")) {
                line = client.line();
            }
            assertThat(line).isNotBlank();

            console.close();

            assertThat(client.isEndedAfterRest()).isTrue();
        } finally {
            console.close();
        }
    }
}
