package io.ostraka.faults.worker;

import io.ostraka.faults.history.Event;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A ZooKeeper server in this process, the resource, and workers, for tests. */
final class WorkerTestCluster implements AutoCloseable {
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);
    private static final long SEED = 1;

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
