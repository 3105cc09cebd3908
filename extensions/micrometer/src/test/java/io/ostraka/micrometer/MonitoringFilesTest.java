package io.ostraka.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.Repository;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the alerts and the dashboard against the metrics of a running instance, in a real Prometheus. */
class MonitoringFilesTest {
    private static final Path ROOT = Repository.root();
    private static final Path ALERTS = ROOT.resolve("operator/monitoring/ostraka-alerts.yaml");
    private static final Path DASHBOARD = ROOT.resolve("operator/monitoring/ostraka-grafana.json");
    private static final Pattern SELECTOR = Pattern.compile("\\bostraka_\\w+(\\{[^}]*})?");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), \\w+\\)");

    @TempDir
    private Path directory;

    // ---- what the application does

    private static JobConfiguration.Builder everySecond(String name) {
        return JobConfiguration.newBuilder(name, 2)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                .alarms(AlarmPolicy.defaults()
                        .after(AlarmKind.MISSED, Duration.ofSeconds(1))
                        .failuresInARow(1));
    }

    private static void schedule(ZooKeeperRegistry registry) {
        SimpleJob settle = context -> context.tasks().submit(() -> {});
        SimpleJob bill = context -> {
            throw new IllegalStateException("no funds");
        };
        SimpleJob report = context -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2_200)); // fires overlap
        registry.schedule(settle, everySecond("settle").build());
        registry.schedule(
                bill,
                everySecond("bill")
                        .errorHandler("IGNORE")
                        .retry(RetryPolicy.attempts(2).backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10)))
                        .build());
        registry.schedule(
                report, everySecond("report").overlap(OverlapPolicy.skip()).build());
    }

    // ---- what the files ask for

    private static JsonObject dashboard() throws IOException {
        return JsonParser.parseString(Files.readString(DASHBOARD)).getAsJsonObject();
    }

    private static List<JsonObject> objects(Iterable<JsonElement> array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    private static List<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonObject panel : objects(dashboard().getAsJsonArray("panels"))) {
            if (panel.has("targets")) {
                objects(panel.getAsJsonArray("targets"))
                        .forEach(target -> queries.add(target.get("expr").getAsString()));
            }
        }
        for (JsonObject variable :
                objects(dashboard().getAsJsonObject("templating").getAsJsonArray("list"))) {
            if (variable.get("type").getAsString().equals("query")) {
                var values = LABEL_VALUES.matcher(variable.get("definition").getAsString());
                assertThat(values.matches()).isTrue();
                queries.add(values.group(1));
            }
        }
        return queries.stream()
                .map(query -> query.replace("$namespace", "orders")
                        .replace("$job", ".*")
                        .replace("$__rate_interval", "10s"))
                .toList();
    }

    private static List<JsonObject> rules(PrometheusServer prometheus) {
        return objects(prometheus.get("/api/v1/rules").getAsJsonArray("groups")).stream()
                .flatMap(group -> objects(group.getAsJsonArray("rules")).stream())
                .toList();
    }

    private static String text(JsonObject object, String field) {
        return object.get(field).getAsString();
    }

    // ---- tests

    @Test
    @Tag("cluster")
    @Tag("prometheus")
    void everyQueryAndEveryExpressionReturnsSeries() throws IOException {
        assumeTrue(PrometheusServer.isInstalled(), "no Prometheus server is installed on the PATH");
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/metrics", exchange -> {
            byte[] body = meters.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        Path home = Files.createDirectory(directory.resolve("prometheus"));
        try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
                ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), "orders")
                        .eventSubscriber(new MicrometerMeters(meters))
                        .connect();
                PrometheusServer prometheus =
                        PrometheusServer.start(home, http.getAddress().getPort(), ALERTS)) {
            schedule(registry);

            queries().forEach(query -> awaitSeries(prometheus, query));
            Eventually.holds("rules that have been evaluated", () -> rules(prometheus).stream()
                    .noneMatch(rule -> text(rule, "health").equals("unknown")));
            assertThat(rules(prometheus)).hasSizeGreaterThan(10).allSatisfy(rule -> {
                assertThat(text(rule, "health")).as(text(rule, "name")).isEqualTo("ok");
                SELECTOR.matcher(text(rule, "query"))
                        .results()
                        .map(MatchResult::group)
                        .forEach(selector -> awaitSeries(prometheus, selector));
            });
            Eventually.holds("the alert of the job that fails", () -> alerts(prometheus)
                    .contains("OstrakaJobFailing orders bill"));
        } finally {
            http.stop(0);
        }
    }

    private static Set<String> alerts(PrometheusServer prometheus) {
        return objects(prometheus.get("/api/v1/alerts").getAsJsonArray("alerts")).stream()
                .map(alert -> alert.getAsJsonObject("labels"))
                .map(labels -> text(labels, "alertname") + " " + text(labels, "namespace") + " "
                        + (labels.has("job") ? text(labels, "job") : ""))
                .collect(Collectors.toSet());
    }

    private static void awaitSeries(PrometheusServer prometheus, String query) {
        Eventually.holds("series of " + query, () -> !prometheus.query(query).isEmpty());
    }

    @Test
    void runbooksAreSectionsOfTheDocuments() throws IOException {
        Set<String> sections = Files.readAllLines(Repository.page("operations.md")).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
        Set<String> runbooks = new LinkedHashSet<>();
        for (String line : Files.readAllLines(ALERTS)) {
            if (line.contains("runbook_url: ")) {
                assertThat(line).contains("runbook_url: docs/operations.md#");
                runbooks.add(line.substring(line.indexOf('#') + 1));
            }
        }

        assertThat(runbooks).isNotEmpty().isSubsetOf(sections);
    }

    @Test
    void dashboardNamesNoDataSourceOfItsOwn() throws IOException {
        assertThat(dashboard().has("uid")).isFalse();
        assertThat(Pattern.compile("\"uid\": \"([^\"]*)\"")
                        .matcher(Files.readString(DASHBOARD))
                        .results()
                        .map(found -> found.group(1))
                        .distinct())
                .containsExactly("${datasource}");
    }
}
