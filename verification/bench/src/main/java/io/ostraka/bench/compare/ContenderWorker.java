package io.ostraka.bench.compare;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The handle of a worker's process. Thread-safe. */
final class ContenderWorker implements AutoCloseable {
    static final String READY = "ready";
    static final String JOIN = "join";
    static final String JOINED = "joined";
    private static final String LEAVE = "leave";
    /**
     * Longest wait for a line or for the end of a worker. It is generous, because it only ends a comparison that cannot
     * continue.
     */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final String name;
    private final RunningProgram process;
    private final Set<String> said = new HashSet<>();

    /** Starts the process. The worker joins the cluster only on command. */
    ContenderWorker(String name, Program program) throws IOException {
        this.name = name;
        process = program.start(this::heard);
    }

    private synchronized void heard(String line) {
        said.add(line);
        notifyAll();
    }

    String name() {
        return name;
    }

    /** Waits until the process has printed a line. */
    synchronized void await(String line) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!said.contains(line)) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0 || !process.isAlive()) {
                throw new IllegalStateException(name + " has not printed '" + line + "' in time; see its log");
            }
            wait(Math.min(millis, 1000));
        }
    }

    /** Makes the worker join, and returns at once. The worker prints {@link #JOINED} when it has joined. */
    void join() {
        process.tell(JOIN);
    }

    /**
     * Shuts the worker down gracefully, and waits for the end of its process. Kills a process that does not end in
     * time.
     *
     * @return whether the process ended in time with exit code 0
     */
    boolean leave() {
        process.tell(LEAVE);
        boolean left = process.onExit()
                .thenApply(code -> code == 0)
                .completeOnTimeout(false, LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        process.close();
        return left;
    }

    void kill() {
        process.kill();
    }

    /** Stops the process with SIGSTOP. */
    void stop() {
        process.stop();
    }

    /** Continues the process. */
    void go() {
        process.go();
    }

    @Override
    public void close() {
        process.close();
    }
}
