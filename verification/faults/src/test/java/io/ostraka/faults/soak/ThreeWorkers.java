package io.ostraka.faults.soak;

import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.mutants.Mutant;
import io.ostraka.faults.worker.EventLog;
import io.ostraka.faults.worker.Resource;
import io.ostraka.faults.worker.Worker;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Three workers on a real ensemble. Each worker has its own connection to its own server, so that a test can target one
 * worker.
 */
final class ThreeWorkers implements AutoCloseable {
    private static final String NAMESPACE = "cluster";
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);

    /** A worker, and its only connection to ZooKeeper. */
    record Member(Worker worker, ZooKeeperProxy way) {}

    private final Ensemble ensemble;
    private final Resource resource;
    private final List<Member> members = new ArrayList<>();

    /** Starts all processes, with the given defect in every worker; null for none. */
    ThreeWorkers(Path directory, @Nullable Mutant mutant) throws IOException, InterruptedException {
        ensemble = Ensemble.start(directory);
        resource = Resource.start(directory);
        for (int server = 0; server < ensemble.size(); server++) {
            ZooKeeperProxy way = new ZooKeeperProxy(ensemble.port(server));
            Worker worker = Worker.start(new Worker.Options(
                    "worker-" + server,
                    way.connectString(),
                    NAMESPACE,
                    SESSION_TIMEOUT,
                    resource,
                    directory,
                    server,
                    mutant,
                    System.getProperty("java.class.path"),
                    null));
            members.add(new Member(worker, way));
        }
    }

    Member first() {
        return members.get(0);
    }

    List<Member> others() {
        return members.subList(1, members.size());
    }

    /** Returns the paths of all ephemeral nodes; empty while the servers do not answer. */
    Set<String> ephemerals() {
        return ensemble.ephemerals().orElse(Set.of());
    }

    static String path(String relative) {
        return "/" + NAMESPACE + relative;
    }

    /** Waits until a condition holds, or until the time is over. Returns whether the condition holds. */
    static boolean comes(Duration atMost, BooleanSupplier what) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!what.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        return true;
    }

    /** Kills the workers. Returns the violations that have occurred until then. */
    List<Violation> violations() throws IOException {
        List<EventLog.Line> lines = new ArrayList<>(resource.history());
        for (Member member : members) {
            member.worker.kill();
            lines.addAll(member.worker.history());
        }
        return HistoryChecker.check(
                MergedHistory.of(lines, ensemble.transactionLogs().of(NAMESPACE)));
    }

    @Override
    public void close() {
        members.forEach(member -> member.worker.close());
        members.forEach(member -> member.way.close());
        resource.close();
        ensemble.close();
    }
}
