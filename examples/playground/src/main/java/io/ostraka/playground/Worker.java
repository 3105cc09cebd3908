package io.ostraka.playground;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker of the playground. It keeps its name when its process is started again. If the process ends by itself, the
 * worker starts it again, as a supervisor would do. Thread-safe.
 */
final class Worker {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    private static final Executor AFTER_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final String name;
    private final ProcessBuilder builder;
    private final Guard guard;
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    // guarded by this
    private @Nullable Process process;
    private State state = State.DEAD;
    /** True if the worker is dead because of {@link #kill}. */
    private boolean killed;

    /** States of a worker. */
    enum State {
        RUNNING,
        FROZEN,
        DEAD
    }

    /**
     * A worker as callers see it.
     *
     * @param name name of the worker and of its instance
     * @param pid id of its latest process; 0 if there was none
     * @param state state of the process
     */
    record View(String name, long pid, State state) {}

    /**
     * Creates a worker without a process.
     *
     * @param builder builds a process of {@link WorkerMain}
     */
    Worker(String name, ProcessBuilder builder, Guard guard) {
        this.name = name;
        this.builder = builder;
        this.guard = guard;
    }

    String name() {
        return name;
    }

    /** Removes variables from the environment of the processes that start from now on. */
    synchronized void forget(Set<String> variables) {
        builder.environment().keySet().removeAll(variables);
    }

    /**
     * Returns a future that completes when a process has registered its jobs. It completes exceptionally if a process
     * cannot start.
     */
    CompletableFuture<String> ready() {
        return ready;
    }

    synchronized View view() {
        return new View(name, process == null ? 0 : process.pid(), state);
    }

    /**
     * Starts a process.
     *
     * @throws IllegalStateException if the worker is not dead, or the process does not start
     */
    synchronized void start() {
        require(State.DEAD);
        Process started;
        try {
            started = builder.start();
        } catch (IOException e) {
            throw new IllegalStateException(name + " does not start: " + e.getMessage(), e);
        }
        guard.watch(started.pid());
        process = started;
        state = State.RUNNING;
        killed = false;
        Thread reader = new Thread(() -> follow(started), "follow-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void follow(Process started) {
        try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
            if (WorkerMain.READY.equals(lines.readLine())) {
                ready.complete(name);
            }
            lines.lines().forEach(line -> {}); // the output must be read, because a full pipe would block the process
        } catch (IOException | UncheckedIOException e) { // a killed process closes its output
            log.debug("the output of {} has ended", name, e);
        }
        started.onExit().join();
        boolean byItself = diedByItself(started);
        if (started.exitValue() == WorkerMain.FAILED) { // another process would fail, too
            ready.completeExceptionally(new IllegalStateException(name + " could not start"));
        } else if (byItself) {
            AFTER_A_SECOND.execute(() -> startAgain(started));
        }
    }

    private synchronized boolean diedByItself(Process ended) {
        if (ended != process || killed) {
            return false;
        }
        state = State.DEAD;
        return true;
    }

    private synchronized void startAgain(Process ended) {
        if (ended == process && !killed) { // otherwise the process was already started again, or killed
            start();
        }
    }

    /** Kills the process, and returns when it has ended. The worker does not start the process again by itself. */
    synchronized void kill() {
        killed = true;
        state = State.DEAD;
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    /**
     * Stops the process, as if its machine paused.
     *
     * @throws IllegalStateException if the worker does not run
     */
    synchronized void freeze() {
        guard.freeze(require(State.RUNNING));
        state = State.FROZEN;
    }

    /**
     * Lets the process continue.
     *
     * @throws IllegalStateException if the worker is not frozen
     */
    synchronized void resume() {
        guard.resume(require(State.FROZEN));
        state = State.RUNNING;
    }

    /** Checks the state, and returns the id of the latest process; 0 if there was none. */
    private long require(State expected) {
        if (state != expected) {
            throw new IllegalStateException(name + " is " + state + ", not " + expected);
        }
        return process == null ? 0 : process.pid();
    }
}
