package io.ostraka.bench.compare;

import io.ostraka.faults.process.JavaProcess;
import io.ostraka.faults.process.Program;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A worker's process, and what can be done to it. Thread-safe. */
final class ContenderWorker implements AutoCloseable {
    static final String READY = "ready";
    static final String JOIN = "join";
    static final String JOINED = "joined";
    private static final String LEAVE = "leave";
    /** Generous: it only ends a comparison that can't go on. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final String name;
    private final JavaProcess process;
    private final Set<String> said = new HashSet<>();

    /** Starts the process; it joins when it is told to. */
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

    /** Waits until it has said something. */
    synchronized void await(String line) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!said.contains(line)) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0 || !process.isAlive()) {
                throw new IllegalStateException(name + " has not said '" + line + "', see its log");
            }
            wait(Math.min(millis, 1000));
        }
    }

    /** Has it join, and returns at once; it says {@link #JOINED}. */
    void join() {
        process.tell(JOIN);
    }

    /**
     * Has it leave in good order, and waits until its process has ended. One that doesn't in time is killed.
     *
     * @return whether it has ended by itself
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

    /** Stops it where it stands. */
    void stop() {
        process.stop();
    }

    /** Lets it go on. */
    void go() {
        process.go();
    }

    @Override
    public void close() {
        process.close();
    }
}
