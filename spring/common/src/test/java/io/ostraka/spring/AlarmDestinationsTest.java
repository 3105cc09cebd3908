package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Properties name the destinations of alarms and heartbeats. */
@Tag("spring")
class AlarmDestinationsTest {
    @JobDefinition(name = "night-report", shardingTotalCount = 1, errorHandler = "IGNORE")
    static class Report implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            if (context.triggerParameters().containsKey("fail")) {
                throw new IllegalStateException("wanted");
            }
        }
    }

    @Test
    void alarmsAndHeartbeatsReachTheTargetsOfTheProperties() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            received.add(exchange.getRequestURI().getPath() + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String base = "http://localhost:" + server.getAddress().getPort();
        String namespace = Applications.namespace();
        try {
            Applications.connected()
                    .withBean(Report.class)
                    .withPropertyValues(
                            "ostraka.namespace=" + namespace,
                            "ostraka.allow.private-hosts=localhost",
                            "ostraka.alarms.webhook.target=" + base + "/alarms",
                            "ostraka.alarms.webhook.template=classpath:alarm-plain.txt",
                            "ostraka.alarms.heartbeat.jobs.nightreport=" + base + "/night-report")
                    .run(context -> {
                        var registry = context.getBean(OstrakaLifecycle.class)
                                .registry()
                                .orElseThrow();
                        for (String mode : List.of("succeed", "fail", "fail", "fail")) {
                            registry.trigger("night-report", Map.of(mode, "yes"))
                                    .completion()
                                    .toCompletableFuture()
                                    .join();
                        }
                        assertThat(received.take()).isEqualTo("/night-report ");
                        assertThat(received.take()).isEqualTo("/alarms FAILING of night-report in " + namespace + "\n");
                    });
        } finally {
            server.stop(0);
        }
    }
}
