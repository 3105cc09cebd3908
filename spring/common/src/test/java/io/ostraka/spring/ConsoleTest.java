package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.SimpleJob;
import io.ostraka.console.servlet.CallerResolver;
import io.ostraka.console.servlet.Callers;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;

/** The console in a real web application, over HTTP. */
@Tag("spring")
@Tag("smoke")
class ConsoleTest {
    private static final String ENABLED = "ostraka.console.enabled=true";
    private static final String ANONYMOUS = "ostraka.console.allow-anonymous-viewer=true";

    private final HttpClient client = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 2, jobParameter = "secret-parameter")
        SimpleJob report() {
            return context -> {};
        }
    }

    /** An application whose own security is a filter: the header {@code X-User} names an operator. */
    @Configuration(proxyBeanMethods = false)
    static class OwnSecurity {
        @Bean
        CallerResolver callers() {
            return Callers.byRole();
        }

        @Bean
        Filter users() {
            return (request, response, chain) -> chain.doFilter(new User((HttpServletRequest) request), response);
        }
    }

    private static final class User extends HttpServletRequestWrapper {
        User(HttpServletRequest request) {
            super(request);
        }

        @Override
        public Principal getUserPrincipal() {
            String name = getHeader("X-User");
            return name == null ? null : () -> name;
        }

        @Override
        public boolean isUserInRole(String role) {
            return role.equals("OSTRAKA_OPERATOR");
        }
    }

    /** A running application, its namespace and the address of the console. */
    private record Running(ConfigurableApplicationContext context, String namespace) implements AutoCloseable {
        URI uri(String path) {
            return URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port")
                    + "/ostraka/api/v1/namespaces" + path);
        }

        @Override
        public void close() {
            context.close();
        }
    }

    private static Running run(Class<?> more, String... properties) {
        String namespace = Applications.namespace();
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("ostraka.zookeeper.connect-string=" + Applications.servers());
        all.add("ostraka.namespace=" + namespace);
        all.add("ostraka.lifecycle.fail-fast=60s");
        all.add("server.port=0");
        all.add("server.address=127.0.0.1");
        all.add("spring.main.banner-mode=off");
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, more)
                .properties(all.toArray(String[]::new))
                .registerShutdownHook(false)
                .run();
        return new Running(context, namespace);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(Running application, String path) throws Exception {
        return send(HttpRequest.newBuilder(application.uri(path)));
    }

    private static HttpRequest.Builder job(Running application) {
        return HttpRequest.newBuilder(application.uri("/" + application.namespace() + "/jobs/report"));
    }

    /** Reads the job, which the application registers soon after it has started. */
    private HttpResponse<String> awaitJob(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> job = send(request);
        while (job.statusCode() == 404) {
            Thread.sleep(1); // ends with the test's time limit
            job = send(request);
        }
        assertThat(job.statusCode()).as(job.body()).isEqualTo(200);
        return job;
    }

    private static HttpRequest.Builder pause(Running application) {
        return HttpRequest.newBuilder(application.uri("/" + application.namespace() + "/jobs/report/pause"))
                .header("Content-Type", "application/json")
                .header("Sec-Fetch-Site", "same-origin")
                .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"test\"}"));
    }

    @Test
    void consoleIsOffByDefault() throws Exception {
        try (Running application = run(Application.class)) {
            assertThat(get(application, "").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void consoleWithoutSecurityNeedsAnExplicitPermission() {
        assertThatThrownBy(() -> run(Application.class, ENABLED))
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .asInstanceOf(InstanceOfAssertFactories.throwable(InvalidPropertyException.class))
                .hasMessageContaining("ostraka.console.allow-anonymous-viewer");
    }

    @Test
    void consoleWithoutAServletContainerFailsTheStart() {
        assertThatThrownBy(() -> new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties(ENABLED, ANONYMOUS, "ostraka.enabled=false", "ostraka.namespace=none")
                        .run())
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .asInstanceOf(InstanceOfAssertFactories.throwable(InvalidPropertyException.class))
                .hasMessageContaining("true in a servlet web application");
    }

    @Tag("slow")
    @Test
    void anonymousViewerReadsAndFollowsButCannotWrite() throws Exception {
        try (Running application = run(Application.class, ENABLED, ANONYMOUS, "ostraka.console.mask-parameters=true")) {
            String namespace = "/" + application.namespace();
            assertThat(get(application, "").body()).contains("[\"" + application.namespace() + "\"]");
            HttpResponse<String> job = awaitJob(job(application));
            assertThat(job.body()).contains("***").doesNotContain("secret-parameter");
            assertThat(send(pause(application)).statusCode()).isEqualTo(403);

            HttpResponse<InputStream> events = client.send(
                    HttpRequest.newBuilder(application.uri(namespace + "/events?job=report"))
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(events.statusCode()).isEqualTo(200);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
                assertThat(lines.lines()
                                .filter(line -> line.startsWith("event:"))
                                .findFirst())
                        .contains("event: hello");
            }
        }
    }

    /** Sends a request with any header {@code Host}, and returns the status of the answer. */
    private static int status(Running application, String host) throws Exception {
        URI uri = application.uri("");
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.getOutputStream()
                    .write(("GET " + uri.getPath() + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ")[1]);
        }
    }

    @Test
    void consoleWithoutALoginAnswersOnlyUnderItsOwnNames() throws Exception {
        try (Running application =
                run(Application.class, ENABLED, ANONYMOUS, "ostraka.console.hosts=jobs.example.com")) {
            assertThat(status(application, "evil.example")).isEqualTo(421);
            assertThat(status(application, "jobs.example.com:8443")).isEqualTo(200);
            assertThat(status(application, "127.0.0.1")).isEqualTo(200);
        }
        assertThatThrownBy(() -> run(Application.class, ENABLED, ANONYMOUS, "ostraka.console.hosts=a b"))
                .hasStackTraceContaining("property ostraka.console.hosts is '[a b]'");
    }

    @Test
    void ownSecurityOfTheApplicationDecides() throws Exception {
        try (Running application = run(OwnSecurity.class, ENABLED)) {
            assertThat(get(application, "").statusCode()).isEqualTo(401);
            HttpRequest.Builder job = job(application).header("X-User", "ann");
            awaitJob(job);
            HttpResponse<String> paused = send(pause(application).header("X-User", "ann"));
            assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
            assertThat(send(job).body()).contains("\"by\":\"ann\"");
        }
    }
}
