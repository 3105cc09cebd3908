package io.ostraka.examples.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.ensemble.Ensemble;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.springframework.jdbc.core.JdbcTemplate;

/** Processes of the settlement application that share a namespace of their own and an empty recording. */
final class Processes implements AutoCloseable {
    static final Duration GRACE = Duration.ofSeconds(20);

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final String namespace = "roll-" + NAMESPACES.incrementAndGet();
    private final Path directory;
    private final Ensemble zooKeeper;
    private final Database database;
    private final List<ApplicationProcess> started = new ArrayList<>();

    Processes(Path directory, Ensemble zooKeeper, Database database) {
        this.directory = directory;
        this.zooKeeper = zooKeeper;
        this.database = database;
        JdbcTemplate template = database.template();
        Recording.create(template);
        List.of("settlement", "orders", "ostraka_fence").forEach(table -> template.update("DELETE FROM " + table));
    }

    String namespace() {
        return namespace;
    }

    List<ApplicationProcess> started() {
        return List.copyOf(started);
    }

    /** Starts a process with further arguments. Each fire runs, however late. */
    ApplicationProcess start(String... further) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.config.additional-location=" + database.properties(),
                "--spring.datasource.hikari.maximum-pool-size=5",
                "--spring.main.banner-mode=off",
                "--server.port=0",
                "--ZOOKEEPER_SERVERS=" + zooKeeper.servers(),
                "--ostraka.namespace=" + namespace,
                "--ostraka.defaults.shutdown-grace=" + GRACE,
                "--ostraka.defaults.misfire=fire-all(1000)",
                "--ostraka.defaults.overlap=queue(1000)"));
        arguments.addAll(List.of(further));
        var process =
                new ApplicationProcess(directory.resolve(namespace + "-" + (started.size() + 1) + ".log"), arguments);
        started.add(process);
        return process;
    }

    /** Waits until the process runs an item. */
    void awaitRunOf(ApplicationProcess process) throws InterruptedException {
        await(() -> Recording.isRunning(database.template(), process.pid()));
    }

    void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            assertThat(started).noneMatch(ApplicationProcess::hasCrashed);
            Thread.sleep(Recording.POLL_MILLIS);
        }
    }

    /** Returns the lines of all logs with level ERROR. */
    List<String> errors() {
        return started.stream().flatMap(process -> process.errors().stream()).toList();
    }

    @Override
    public void close() {
        started.forEach(ApplicationProcess::close);
    }
}
