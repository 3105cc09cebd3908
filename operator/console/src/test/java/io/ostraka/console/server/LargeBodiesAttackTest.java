package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sends many large bodies of small values at once to a console with the heap of {@code bin/console}. */
@Tag("cluster")
@Tag("slow")
@Timeout(300)
class LargeBodiesAttackTest {
    private static final int AT_ONCE = 32;
    private static final String BODY = "{\"a\":[0" + ",0".repeat(2_097_140) + "]}";
    private static final String FEW_VALUES = "{\"a\":\"" + "x".repeat(4_194_290) + "\"}";

    @TempDir
    Path directory;

    private final Site site = new Site();
    private EmbeddedZooKeeper zooKeeper;
    private Process console;

    @BeforeEach
    void start() throws IOException {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
        console = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConsoleMain.class.getName(),
                        site.settings(directory, zooKeeper.connectString(), "namespaces=orders")
                                .toString())
                .redirectError(directory.resolve("stderr.txt").toFile())
                .start();
        String line = new BufferedReader(console.inputReader(StandardCharsets.UTF_8)).readLine();
        site.at(URI.create(line.substring(line.indexOf("http"))));
    }

    @AfterEach
    void stop() {
        console.destroyForcibly().onExit().join();
        zooKeeper.close();
    }

    @Test
    void loginsOfUnknownCallersTakeNoMemory() throws Exception {
        List<RawClient.Answer> answers = atOnce(() -> {
            try (RawClient client = new RawClient(site.uri())) {
                client.send("POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + BODY.length() + "\r\n\r\n");
                return client.read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(answers).allMatch(each -> each.status() == 413);
        assertThat(site.get("/api/v1/namespaces").statusCode()).isEqualTo(200);
    }

    @Test
    void comparisonsOfSettingsAnswerAllOrLater() throws Exception {
        for (String body : List.of(BODY, FEW_VALUES)) {
            List<HttpResponse<String>> answers = atOnce(() -> {
                try {
                    return site.post("/api/v1/namespaces/orders/settings/diff", body);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });

            assertThat(answers).allMatch(each -> each.statusCode() >= 400);
            assertThat(site.get("/api/v1/namespaces").statusCode()).isEqualTo(200);
        }
    }

    private static <T> List<T> atOnce(Supplier<T> request) {
        List<CompletableFuture<T>> sent = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            sent.add(answer);
            new Thread(() -> {
                        try {
                            answer.complete(request.get());
                        } catch (Throwable e) {
                            answer.completeExceptionally(e);
                        }
                    })
                    .start();
        }
        return sent.stream().map(CompletableFuture::join).toList();
    }
}
