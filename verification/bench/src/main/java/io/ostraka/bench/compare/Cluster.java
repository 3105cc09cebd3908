package io.ostraka.bench.compare;

import io.ostraka.fixtures.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The workers of one contender in one namespace, and the entries that they have written. Used by one thread. */
final class Cluster implements AutoCloseable {
    private static final String LOG = "-Dorg.slf4j.simpleLogger.";
    private static final String LOG_LEVEL = System.getProperty("ostraka.worker.log", "warn");

    private final Participant entrant;
    private final String servers;
    private final String namespace;
    private final Duration session;
    private final List<RecurringJob> jobs;
    private final Path directory;
    private final Ledger ledger;
    private final Map<String, ContenderWorker> workers = new LinkedHashMap<>();
    private int started;

    /**
     * Creates a cluster without workers.
     *
     * @param directory directory for its ledger and its workers' logs; created if absent
     */
    Cluster(
            Participant entrant,
            String servers,
            String namespace,
            Duration session,
            List<RecurringJob> jobs,
            Path directory)
            throws IOException {
        this.entrant = entrant;
        this.servers = servers;
        this.namespace = namespace;
        this.session = session;
        this.jobs = jobs;
        this.directory = Files.createDirectories(directory);
        this.ledger = new Ledger(directory.resolve("ledger.jsonl"));
    }

    Ledger ledger() {
        return ledger;
    }

    String namespace() {
        return namespace;
    }

    List<RecurringJob> jobs() {
        return jobs;
    }

    /** Returns the names of the present workers, the oldest first. */
    List<String> workers() {
        return List.copyOf(workers.keySet());
    }

    ContenderWorker worker(String name) {
        return known(name, workers.get(name));
    }

    /** Starts the processes of additional workers. Returns when they are ready to join. */
    List<ContenderWorker> prepare(int count) throws IOException, InterruptedException {
        List<ContenderWorker> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "worker-" + ++started;
            Program program = Program.java(ContenderWorkerProgram.class)
                    .log(directory.resolve(name + ".log"))
                    .classPath(entrant.classPath())
                    .jvm("-Xmx128m", LOG + "defaultLogLevel=warn", LOG + "log.io.ostraka=" + LOG_LEVEL)
                    .jvm(LOG + "showDateTime=true", LOG + "dateTimeFormat=HH:mm:ss.SSS")
                    .arguments(entrant.entrant().contender(), name, ledger.port(), servers, namespace, session)
                    .arguments(jobs.stream().map(RecurringJob::text).toArray());
            ContenderWorker worker = new ContenderWorker(name, program);
            workers.put(name, worker);
            all.add(worker);
        }
        for (ContenderWorker worker : all) {
            worker.await(ContenderWorker.READY);
        }
        return all;
    }

    /** Makes workers join, all at the same time. Returns when they have joined. */
    void join(List<ContenderWorker> joining) throws InterruptedException {
        joining.forEach(ContenderWorker::join);
        for (ContenderWorker worker : joining) {
            worker.await(ContenderWorker.JOINED);
        }
    }

    /** Starts additional workers. Returns when they have joined. */
    void start(int count) throws IOException, InterruptedException {
        join(prepare(count));
    }

    /**
     * Waits until each item of each job has ended a fire later than the given one. The outcome of the given fire is
     * then decided.
     */
    void awaitEndsAfter(long fire, Duration limit) throws InterruptedException {
        Set<String> missing = new HashSet<>();
        jobs.forEach(job -> IntStream.range(0, job.items()).forEach(item -> missing.add(job.name() + "/" + item)));
        ledger.await(0, limit, entry -> {
            if (entry.kind() == Entry.Kind.END && entry.fire() > fire) {
                missing.remove(entry.key());
            }
            return missing.isEmpty();
        });
    }

    /** Kills a worker. */
    void kill(String name) {
        gone(name).kill();
    }

    /** Shuts a worker down gracefully, and waits for its end. Returns whether it ended in time. */
    boolean leave(String name) {
        return gone(name).leave();
    }

    private ContenderWorker gone(String name) {
        return known(name, workers.remove(name));
    }

    private ContenderWorker known(String name, @Nullable ContenderWorker worker) {
        if (worker == null) {
            throw new IllegalArgumentException("no worker '" + name + "' lives; there are " + workers.keySet());
        }
        return worker;
    }

    @Override
    public void close() {
        workers.values().forEach(ContenderWorker::close);
        ledger.close();
    }
}
