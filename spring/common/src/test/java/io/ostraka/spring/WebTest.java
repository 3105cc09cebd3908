package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Problem;
import io.ostraka.fixtures.Eventually;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, info and the endpoint of a real web application, over HTTP. */
@Tag("spring")
@Tag("smoke")
class WebTest {
    private static final BlockingQueue<String> RUNS = new LinkedBlockingQueue<>();
    private static final String UNREACHABLE = "localhost:1";

    private final HttpClient client = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 2, description = "sums up the day")
        SimpleJob report() {
            return new SimpleJob() {
                @Override
                public void execute(ShardingContext context) {
                    RUNS.add(context.jobName() + "/" + context.shardingItem()
                            + (context.triggerParameters().isEmpty() ? "" : " " + context.triggerParameters()));
                }
            };
        }
    }

    /** A running application and its address. */
    private record Running(ConfigurableApplicationContext context, String address) implements AutoCloseable {
        @Override
        public void close() {
            context.close();
        }
    }

    private static Running run(String servers, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("ostraka.zookeeper.connect-string=" + servers);
        all.add("ostraka.namespace=" + Applications.namespace());
        all.add("server.port=0");
        all.add("server.address=127.0.0.1");
        all.add("spring.main.banner-mode=off");
        all.add("management.endpoints.web.exposure.include=*");
        all.add("management.info.env.enabled=false");
        all.add("management.endpoint.health.probes.enabled=true");
        all.add("management.endpoint.health.show-details=always");
        all.add("management.endpoint.health.group.readiness.include=readinessState,ostraka");
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(all.toArray(String[]::new))
                .registerShutdownHook(false)
                .run();
        return new Running(
                context,
                "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/actuator/");
    }

    private HttpResponse<String> get(Running application, String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(application.address() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(Running application, String path, String json)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(application.address() + path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void endpointShowsTheInstanceItsJobsAndTheirItems() throws Exception {
        try (Running application = run(Applications.servers(), "ostraka.lifecycle.fail-fast=60s")) {
            assertThat(get(application, "health/readiness").body()).contains("\"status\":\"UP\"", "\"ostraka\"");
            String info = get(application, "info").body();
            assertThat(info).contains("\"ostraka\"", "report");
            assertThat(get(application, "ostraka").body()).contains("\"connected\":true", "\"report\"");

            awaitPlan(application);
            HttpResponse<String> job = get(application, "ostraka/report");
            assertThat(job.statusCode()).as(job.body()).isEqualTo(200);
            assertThat(job.body()).contains("\"value\":\"sums up the day\"", "ANNOTATION");
            HttpResponse<String> item = get(application, "ostraka/report/1");
            assertThat(item.statusCode()).as(item.body()).isEqualTo(200);
            assertThat(item.body()).contains("\"state\":\"IDLE\"", "\"explanation\":");

            HttpResponse<String> unknown = get(application, "ostraka/repart");
            assertThat(unknown.statusCode()).isEqualTo(404);
            assertThat(unknown.body()).contains("repart");
            assertThat(post(application, "ostraka/report", "{\"command\":\"pause\",\"actor\":\"on-call\"}")
                            .statusCode())
                    .isEqualTo(405);
        }
    }

    @Test
    void endpointShowsTheProblemsOfEveryKind() throws Exception {
        List<Problem> problems = Stream.of(Problem.Kind.values())
                .map(kind -> new Problem(
                        "report",
                        kind,
                        kind.level(),
                        "text",
                        List.of(),
                        null,
                        Set.of(),
                        List.of(),
                        Set.of(),
                        List.of(Problem.Remedy.of("resume it", new Command.Resume("report", true)))))
                .toList();
        try (Running application = run(Applications.servers(), "ostraka.lifecycle.fail-fast=60s")) {
            Operations known = (Operations) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Operations.class},
                    (proxy, method, arguments) -> problems);
            Object shown = new OstrakaEndpoint(application.context().getBean(OstrakaLifecycle.class), known, false)
                    .instance(true)
                    .getBody();
            assertThat(shown).isEqualTo(new OstrakaEndpoint.NamespaceView(problems));

            application
                    .context()
                    .getBean(Operations.class)
                    .execute(new Command.Pause("report", null), CommandOptions.by("ann"));
            for (String path : List.of("ostraka?problems=true", "ostraka/report")) {
                assertThat(get(application, path).body())
                        .as(path)
                        .contains("\"job\":\"report\"", "\"kind\":\"PAUSED\"", "\"level\":\"WARNING\"")
                        .contains("\"operation\":\"RESUME\"", "\"catchUp\":true");
            }
        }
    }

    @Test
    void endpointHidesParametersAsTheConsoleDoes() throws Exception {
        try (Running application = run(
                Applications.servers(),
                "ostraka.lifecycle.fail-fast=60s",
                "ostraka.jobs.report.job-parameter=secret",
                "ostraka.console.mask-parameters=true")) {
            awaitPlan(application);

            assertThat(get(application, "ostraka/report").body())
                    .contains("\"jobParameter\":{\"value\":\"***\"")
                    .doesNotContain("secret");
        }
    }

    /** The leader plans a job soon after its registration. */
    private void awaitPlan(Running application) throws Exception {
        Eventually.holds("a plan", () -> get(application, "ostraka/report/1").statusCode() == 200);
    }

    @Test
    void commandsNeedUnrestrictedAccess() throws Exception {
        try (Running application = run(
                Applications.servers(),
                "ostraka.lifecycle.fail-fast=60s",
                "management.endpoint.ostraka.access=unrestricted")) {
            awaitPlan(application);
            RUNS.clear();
            HttpResponse<String> triggered = post(
                    application,
                    "ostraka/report",
                    "{\"command\":\"trigger\",\"actor\":\"on-call\",\"reason\":\"rerun\",\"items\":\"1\","
                            + "\"parameters.day\":\"monday\"}");
            assertThat(triggered.statusCode()).as(triggered.body()).isEqualTo(200);
            assertThat(triggered.body()).contains("\"result\":\"Applied\"");
            assertThat(RUNS.take()).isEqualTo("report/1 {day=monday}");

            assertRefused(post(application, "ostraka/report", "{\"command\":\"trigger\"}"), "actor is missing");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"stop\",\"actor\":\"on-call\"}"),
                    "runId is missing");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"explode\",\"actor\":\"on-call\"}"),
                    "accepted: pause, resume, trigger, rerun or stop");
            assertRefused(
                    post(application, "ostraka/report", "{\"actor\":\"on-call\"}"),
                    "accepted: pause, resume, trigger, rerun or stop");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"trigger\",\"params.day\":\"1\"}"),
                    "'params.day' is not a field of trigger; accepted: [actor, command, delay, items, parameters.<name>,");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"rerun\",\"runId\":\"r\",\"delay\":\"5s\"}"),
                    "'delay' is not a field of rerun; accepted: [actor, command, items, parameters.<name>, reason, runId]");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"trigger\",\"parameters\":\"day=1\"}"),
                    "parameters is not a map");
            assertRefused(
                    post(application, "ostraka/report", "{\"command\":\"trigger\",\"delay\":\"30\"}"),
                    "delay is '30'; accepted: a duration with a unit");
            HttpResponse<String> unknown =
                    post(application, "ostraka/repart", "{\"command\":\"pause\",\"actor\":\"on-call\"}");
            assertThat(unknown.statusCode()).as(unknown.body()).isEqualTo(404);
        }
    }

    private static void assertRefused(HttpResponse<String> answer, String text) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(text);
    }

    @Test
    void withoutZooKeeperTheApplicationIsLiveButNotReady() throws Exception {
        try (Running application = run(UNREACHABLE)) {
            assertThat(get(application, "health/liveness").statusCode()).isEqualTo(200);
            HttpResponse<String> readiness = get(application, "health/readiness");
            assertThat(readiness.statusCode()).isEqualTo(503);
            assertThat(readiness.body()).contains("\"connected\":false");
            assertThat(get(application, "ostraka").body()).contains("\"connected\":false");
            HttpResponse<String> job = get(application, "ostraka/report");
            assertThat(job.statusCode()).isEqualTo(503);
            assertThat(job.body()).contains("not connected to ZooKeeper");
        }
    }
}
