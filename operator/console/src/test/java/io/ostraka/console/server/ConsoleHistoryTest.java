package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.history.History;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(120)
@ExpectedErrors({"of fire", "the spool of the history does not open", "not stored in the audit"})
class ConsoleHistoryTest {
    private static final String ORDERS = "/api/v1/namespaces/orders";
    private static final String HISTORY = ORDERS + "/history";
    private static final String FAR = "?from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z";

    @TempDir
    Path directory;

    private final Site site = new Site();
    private EmbeddedZooKeeper zooKeeper;

    @BeforeEach
    void startZooKeeper() {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
    }

    @AfterEach
    void stopZooKeeper() {
        zooKeeper.close();
    }

    private Console start(String url, String... more) throws Exception {
        String[] lines = new String[more.length + 4];
        System.arraycopy(more, 0, lines, 4, more.length);
        lines[0] = "history.url=" + url;
        lines[1] = "history.spool=" + directory.resolve("console-spool");
        lines[2] = "namespaces=orders";
        lines[3] = "history.user=sa";
        ConsoleSettings settings =
                ConsoleSettings.read(site.settings(directory, zooKeeper.connectString(), lines), Map.of());
        Console console = Console.start(settings, Limits.DEFAULT, Clock.systemUTC(), password -> {});
        site.at(console.uri());
        return console;
    }

    private ZooKeeperRegistry registry(History history) {
        return ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), "orders")
                .eventSubscriber(history)
                .connect();
    }

    private static JobConfiguration onDemand(String job) {
        return JobConfiguration.newBuilder(job, 2)
                .schedule(Schedule.cron("0 0 3 1 1 ? 2099"))
                .build();
    }

    private static JsonArray steps(HttpResponse<String> audit) {
        assertThat(audit.statusCode()).as(audit.body()).isEqualTo(200);
        return Site.json(audit).getAsJsonArray("steps");
    }

    @Tag("slow")
    @Test
    void commandsWorkWhileTheDatabaseIsAwayAndTheAuditFollows() throws Exception {
        int port = Ports.free();
        String url = "jdbc:h2:tcp://127.0.0.1:" + port + "/./audit";
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(zooKeeper.connectString(), "orders")) {
            registry.schedule((SimpleJob) context -> {}, onDemand("settle"))
                    .scheduled()
                    .toCompletableFuture()
                    .join();
        }
        Server database = null;
        try {
            try (Console console = start(url, "history.schema=create")) {
                HttpResponse<String> paused =
                        site.post(ORDERS + "/jobs/settle/pause", "{\"reason\":\"the database is away\"}");
                assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
                assertThat(site.get(HISTORY + "/audit").statusCode()).isEqualTo(503);
                assertThat(site.get(HISTORY + "/audit").body()).doesNotContain("127.0.0.1");
                assertThat(site.post(ORDERS + "/jobs/settle/resume", "{}").statusCode())
                        .isEqualTo(200);
            }
            database = Server.createTcpServer(
                            "-tcpPort",
                            "" + port,
                            "-ifNotExists",
                            "-baseDir",
                            directory.resolve("db").toString())
                    .start();
            try (Console console = start(url, "history.schema=create")) { // it delivers the spool of the one before
                site.post(ORDERS + "/jobs/settle/pause?dryRun=true", "{}");
                assertThat(site.post(ORDERS + "/jobs/settle/stop-fire", "{}").statusCode())
                        .isNotEqualTo(200);
                assertThat(site.post(ORDERS + "/jobs/nothing/pause", "{}").statusCode())
                        .isEqualTo(404);
                Eventually.holds(
                        "six steps", () -> steps(site.get(HISTORY + "/audit")).size() == 6);

                JsonArray steps = steps(site.get(HISTORY + "/audit"));
                JsonObject after = steps.get(4).getAsJsonObject();
                JsonObject before = steps.get(5).getAsJsonObject();
                assertThat(before.get("operation").getAsString()).isEqualTo("PAUSE");
                assertThat(before.get("outcome")).isNull();
                assertThat(after.get("outcome").getAsString()).startsWith("APPLIED");
                assertThat(after.get("requestId")).isEqualTo(before.get("requestId"));
                assertThat(after.get("actor").getAsString()).isEqualTo("test");
                assertThat(after.get("origin").getAsString()).isEqualTo("token 127.0.0.1");
                assertThat(after.get("role").getAsString()).isEqualTo("ADMIN");
                assertThat(after.get("reason").getAsString()).isEqualTo("the database is away");
                assertThat(steps.get(0).getAsJsonObject().get("outcome").getAsString())
                        .startsWith("REFUSED");

                JsonObject page = Site.json(site.get(HISTORY + "/audit?limit=4"));
                JsonObject rest = Site.json(site.get(
                        HISTORY + "/audit?limit=4&after=" + page.get("next").getAsString()));
                assertThat(rest.getAsJsonArray("steps")).hasSize(2).contains(before, after);
                assertThat(rest.get("next")).isNull();
            }
            try (Connection connection = DriverManager.getConnection(url, "sa", "");
                    ResultSet rows = connection
                            .createStatement()
                            .executeQuery("SELECT (SELECT COUNT(*) FROM ostraka_item_run)"
                                    + " + (SELECT COUNT(*) FROM ostraka_run)"
                                    + " + (SELECT COUNT(*) FROM ostraka_event)"
                                    + " + (SELECT COUNT(*) FROM ostraka_rollup)")) {
                rows.next();
                assertThat(rows.getLong(1)).as("rows other than the audit").isZero();
            }
        } finally {
            if (database != null) {
                database.stop();
            }
        }
    }

    @Tag("slow")
    @Test
    void viewsNameTheSpoolIfItDoesNotOpen() throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(zooKeeper.connectString(), "orders");
                Console console = start("jdbc:h2:mem:unopened;DB_CLOSE_DELAY=-1", "history.schema=create")) {
            registry.schedule((SimpleJob) context -> {}, onDemand("settle"))
                    .scheduled()
                    .toCompletableFuture()
                    .join();
            Path file = Files.createFile(directory.resolve("console-spool"));

            HttpResponse<String> audit = site.get(HISTORY + "/audit");
            assertThat(audit.statusCode()).isEqualTo(503);
            assertThat(audit.body())
                    .contains("the spool of the history does not open", "history.spool")
                    .doesNotContain("database", directory.toString());
            assertThat(site.post(ORDERS + "/jobs/settle/pause", "{}").statusCode())
                    .isEqualTo(200);

            Files.delete(file);
            assertThat(steps(site.get(HISTORY + "/audit"))).isEmpty();
        }
    }

    @Tag("slow")
    @Test
    void runsOfAnApplicationAreShown() throws Exception {
        String url = "jdbc:h2:mem:shown;DB_CLOSE_DELAY=-1";
        try (History history = History.newBuilder(source(url), directory.resolve("spool"))
                        .build();
                ZooKeeperRegistry registry = registry(history)) {
            var settle = registry.schedule(
                    (SimpleJob) context -> {
                        if (context.shardingItem() == 1) {
                            throw new IllegalStateException("no connection to the bank");
                        }
                    },
                    onDemand("settle"));
            settle.scheduled().toCompletableFuture().join();
            try (Console console = start(url, "mask-parameters=true")) {
                HttpResponse<String> triggered = site.post(
                        ORDERS + "/jobs/settle/trigger",
                        "{\"requestId\":\"run-1\",\"parameters\":{\"account\":\"4711\"}}");
                assertThat(triggered.statusCode()).as(triggered.body()).isEqualTo(200);
                Eventually.holds("two claims", () -> {
                    HttpResponse<String> run = site.get(HISTORY + "/jobs/settle/runs/run-1");
                    return run.statusCode() == 200
                            && Site.json(run).getAsJsonArray("claims").size() == 2;
                });

                JsonObject run = Site.json(site.get(HISTORY + "/jobs/settle/runs/run-1"));
                assertThat(run.getAsJsonObject("run")
                                .getAsJsonObject("trigger")
                                .getAsJsonObject("parameters")
                                .get("account")
                                .getAsString())
                        .isEqualTo("***");
                assertThat(run.getAsJsonObject("run")
                                .getAsJsonObject("outcomes")
                                .toString())
                        .isEqualTo("{\"FAILED\":1,\"SUCCEEDED\":1}");
                JsonArray runs =
                        Site.json(site.get(HISTORY + "/jobs/settle/runs")).getAsJsonArray("runs");
                assertThat(runs).hasSize(1);
                assertThat(runs.toString()).doesNotContain("4711");
                JsonElement failure = Site.json(site.get(HISTORY + "/failures"))
                        .getAsJsonArray("failures")
                        .get(0);
                assertThat(failure.toString()).contains("no connection to the bank");
                Eventually.holds("run times", () -> !Site.json(site.get(HISTORY + "/jobs/settle/run-times" + FAR))
                        .getAsJsonArray("hours")
                        .isEmpty());
                JsonObject hour = Site.json(site.get(HISTORY + "/jobs/settle/run-times" + FAR))
                        .getAsJsonArray("hours")
                        .get(0)
                        .getAsJsonObject();
                assertThat(hour.get("count").getAsLong()).isEqualTo(2);
                assertThat(hour.keySet()).contains("p50", "p95", "p99");
                assertThat(Site.json(site.get(HISTORY + "/jobs/settle/skipped")).getAsJsonArray("skipped"))
                        .isEmpty();
                Eventually.holds(
                        "the plan of the job",
                        () -> site.get(HISTORY + "/events?job=settle").body().contains("\"PLAN_CHANGED\""));
                assertThat(site.get(HISTORY + "/events").body()).contains("\"LEADER_CHANGED\"", "\"settle\"");
                assertThat(site.get(HISTORY + "/events?job=other").body()).isEqualToIgnoringNewLines("{\"events\":[]}");
                String now = Instant.now().toString();
                HttpResponse<String> account =
                        site.get(HISTORY + "/jobs/settle/account?from=2020-01-01T00:00:00Z&to=" + now);
                assertThat(account.statusCode()).as(account.body()).isEqualTo(200);
                assertThat(Site.json(account).get("job").getAsString()).isEqualTo("settle");

                assertThat(site.get(HISTORY + "/jobs/settle/account").statusCode())
                        .isEqualTo(422);
                assertThat(site.get(HISTORY + "/jobs/settle/runs/run-2").statusCode())
                        .isEqualTo(404);
                assertThat(site.get(HISTORY + "/audit?after=nonsense").statusCode())
                        .isEqualTo(422);
                assertThat(site.get(HISTORY + "/audit?limit=0").statusCode()).isEqualTo(422);
                assertThat(site.get(HISTORY + "/audit?x=1").statusCode()).isEqualTo(422);
                assertThat(site.get(HISTORY + "/nothing").statusCode()).isEqualTo(404);
                assertThat(site.post(HISTORY + "/audit", "{}").statusCode()).isEqualTo(405);
            }
        }
    }

    private static DataSource source(String url) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        source.setUser("sa");
        source.setPassword("");
        return source;
    }
}
