package io.ostraka.spring.boot4.starter;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.SimpleJob;
import io.ostraka.history.History;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The console of an application behind a filter chain of Spring Security, over HTTP. */
@Tag("spring")
@Timeout(300)
class SecuredConsoleTest {
    private static final String NAMESPACE = "orders";
    private static final String API = "/ostraka/api/v1/namespaces/" + NAMESPACE;
    private static final String PAUSE = API + "/jobs/report/pause";

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private EmbeddedZooKeeper zooKeeper;
    private ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 1)
        SimpleJob report() {
            return context -> {};
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("ann", "OSTRAKA_OPERATOR"), user("bob", "OSTRAKA_VIEWER"), user("eve", "USER"));
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}secret").roles(role).build();
        }
    }

    /** The chain as the documentation advises. */
    @Configuration(proxyBeanMethods = false)
    static class Advised {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/ostraka/**"))
                    .build();
        }
    }

    /** A chain with a page for the login, which protects the console with its own tokens too. */
    @Configuration(proxyBeanMethods = false)
    static class WithLoginPage {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/error")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithHistory {
        @Bean
        History history(@Value("${spool}") Path spool) {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            return History.newBuilder(database, spool).schema(SchemaMode.CREATE).build();
        }
    }

    @BeforeEach
    void startZooKeeper() {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
    }

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
        zooKeeper.close();
    }

    private void start(Class<?>... configurations) {
        application = new SpringApplicationBuilder(Application.class)
                .sources(configurations)
                .properties(
                        "ostraka.zookeeper.connect-string=" + zooKeeper.connectString(),
                        "ostraka.namespace=" + NAMESPACE,
                        "ostraka.lifecycle.fail-fast=60s",
                        "ostraka.console.enabled=true",
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spool=" + directory.resolve("spool"),
                        "spring.main.banner-mode=off")
                .registerShutdownHook(false)
                .run();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path))
                .timeout(Duration.ofSeconds(60));
    }

    private static HttpRequest.Builder as(String user, HttpRequest.Builder request) {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return request.header("Authorization", "Basic " + credentials);
    }

    private HttpRequest.Builder pause() {
        return request(PAUSE)
                .header("Content-Type", "application/json")
                .header("Sec-Fetch-Site", "same-origin")
                .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"ticket 7\"}"));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void authoritiesOfTheUserDecide() throws Exception {
        start(Advised.class);

        assertThat(send(request(API)).statusCode()).as("anonymous reads").isEqualTo(401);
        assertThat(send(pause()).statusCode()).as("anonymous pauses").isEqualTo(401);
        HttpResponse<String> refused = send(as("bob", pause()));
        assertThat(refused.statusCode()).as("viewer pauses").isEqualTo(403);
        assertThat(refused.body()).contains("'bob' needs the role OPERATOR");
        assertThat(send(as("bob", request(API + "/jobs/report"))).body()).contains("\"ACTIVE\"");
        assertThat(send(as("eve", request(API))).statusCode())
                .as("user without a role reads")
                .isEqualTo(404);

        HttpResponse<String> paused = send(as("ann", pause()));
        assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
        assertThat(send(as("bob", request(API + "/jobs/report"))).body())
                .contains("\"PAUSED\"", "\"by\":\"ann\"", "ticket 7");
    }

    @Test
    void pageOfAnotherSiteCannotWriteAlthoughTheChainLeavesTheConsoleOut() throws Exception {
        start(Advised.class);

        HttpResponse<String> refused = send(as("ann", pause().setHeader("Sec-Fetch-Site", "cross-site")));
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
    }

    @Test
    void chainWithALoginPageLeadsToThePage() throws Exception {
        start(WithLoginPage.class);

        HttpResponse<String> page = send(request("/ostraka/").header("Accept", "text/html"));
        assertThat(page.statusCode()).isEqualTo(302);
        assertThat(page.headers().firstValue("Location").orElseThrow()).endsWith("/login");
        assertThat(send(as("ann", pause())).statusCode())
                .as("without the chain's own token, which csrf.ignoringRequestMatchers makes superfluous")
                .isEqualTo(403);
        assertThat(send(as("ann", request(API + "/jobs/report"))).body())
                .as("a read needs no token")
                .contains("\"ACTIVE\"");
    }

    @Test
    void commandsAreInTheAuditOfTheApplicationsHistory() throws Exception {
        start(Advised.class, WithHistory.class);

        assertThat(send(as("ann", pause())).statusCode()).isEqualTo(200);
        assertThat(send(as("bob", pause())).statusCode()).isEqualTo(403);

        History history = application.getBean(History.class);
        List<AuditEntry> steps = history.queries().audit(null, 10).rows();
        while (steps.size() < 2) { // the rows go from the spool to the database in the background
            LockSupport.parkNanos(1_000_000);
            steps = history.queries().audit(null, 10).rows();
        }
        assertThat(steps)
                .hasSize(2)
                .allSatisfy(step -> {
                    assertThat(step.actor()).isEqualTo("ann");
                    assertThat(step.origin()).isEqualTo("application 127.0.0.1");
                    assertThat(step.role()).isEqualTo("OPERATOR");
                    assertThat(step.operation()).isEqualTo("PAUSE");
                    assertThat(step.target()).isEqualTo("report");
                    assertThat(step.reason()).isEqualTo("ticket 7");
                })
                .extracting(AuditEntry::requestId)
                .containsOnly(steps.get(0).requestId());
        assertThat(steps.get(1).outcome()).as("the step before the command").isNull();
        assertThat(steps.get(0).outcome()).startsWith("APPLIED");
    }
}
