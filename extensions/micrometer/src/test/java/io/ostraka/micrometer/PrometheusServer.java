package io.ostraka.micrometer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/** A Prometheus server in a temporary directory. It listens on the loopback interface only. */
final class PrometheusServer implements AutoCloseable {
    private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

    private final HttpClient client = HttpClient.newHttpClient();
    private final RunningProgram process;
    private final Path output;
    private final int port;

    private PrometheusServer(RunningProgram process, Path output, int port) {
        this.process = process;
        this.output = output;
        this.port = port;
    }

    /** Returns whether a Prometheus server is installed. */
    static boolean isInstalled() {
        return Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "prometheus")));
    }

    /**
     * Starts a server and returns when it accepts queries.
     *
     * @param target port on the loopback interface that the server scrapes each second
     * @param rules file with rules, which the server evaluates each second
     */
    static PrometheusServer start(Path directory, int target, Path rules) throws IOException {
        Path configuration = directory.resolve("prometheus.yml");
        Files.writeString(
                configuration,
                """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files:
                  - %s
                scrape_configs:
                  - job_name: application
                    honor_labels: true
                    static_configs:
                      - targets: ['%s:%d']
                """
                        .formatted(rules.toAbsolutePath(), HOST, target));
        Path output = directory.resolve("output");
        int port = Ports.free();
        RunningProgram process = Program.of("prometheus")
                .arguments("--config.file=" + configuration, "--storage.tsdb.path=" + directory.resolve("data"))
                .arguments("--web.listen-address=" + HOST + ":" + port)
                .log(output)
                .start();
        var server = new PrometheusServer(process, output, port);
        try {
            Eventually.holds("Prometheus", server::ready);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    private boolean ready() throws IOException {
        try {
            return send("/-/ready").statusCode() == 200;
        } catch (IOException e) {
            if (!process.isAlive()) {
                throw new IOException("Prometheus has ended:\n" + Files.readString(output), e);
            }
            return false;
        }
    }

    private HttpResponse<String> send(String path) throws IOException {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://" + HOST + ":" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Returns the field {@code data} of an answer. */
    JsonObject get(String path) {
        try {
            HttpResponse<String> answer = send(path);
            if (answer.statusCode() != 200) {
                throw new AssertionError(path + ": " + answer.body());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject().getAsJsonObject("data");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the series of a query. */
    JsonArray query(String expression) {
        return get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .getAsJsonArray("result");
    }

    @Override
    public void close() {
        process.close(); // the directory is deleted after that
    }
}
