package io.ostraka.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A ZooKeeper server in this process, the resource, and workers, for tests. */
final class WorkerTestCluster implements AutoCloseable {
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);
    private static final long SEED = 1;
    /** Generous limit. It only ends a failing test. */
    private static final long LIMIT_SECONDS = 90;

    interface Condition {
        boolean holds() throws Exception;
    }

    final Resource resource;
    private final Path directory;
    private final EmbeddedZooKeeper server;
    private final List<Worker> workers = new ArrayList<>();

    WorkerTestCluster(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        server = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
        resource = Resource.start(directory);
    }

    Worker join(String name) throws IOException {
        Worker worker = Worker.start(new Worker.Options(
                name,
                server.connectString(),
                "cluster",
                SESSION_TIMEOUT,
                resource,
                directory,
                SEED,
                null,
                System.getProperty("java.class.path"),
                null));
        workers.add(worker);
        return worker;
    }

    static void eventually(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    static List<Event.Effect> effects(List<EventLog.Line> lines) {
        return of(Event.Effect.class, lines);
    }

    static <T extends Event> List<T> of(Class<T> kind, List<EventLog.Line> lines) {
        return lines.stream()
                .map(EventLog.Line::event)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        resource.close();
        server.close();
    }
}
