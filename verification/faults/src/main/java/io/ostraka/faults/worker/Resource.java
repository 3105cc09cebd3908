package io.ostraka.faults.worker;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Handle of the process to which jobs write, the resource. The resource checks the fencing token of each write, and
 * logs every write, whether accepted or refused.
 */
public final class Resource implements AutoCloseable {
    private static final long START_SECONDS = 60;
    private static final String HEAP = "-Xmx64m";

    private final RunningProgram process;
    private final Path events;
    private final int port;
    private final int requestPort;
    private final Instant begun = Instant.now();

    private Resource(RunningProgram process, Path events, String ports) {
        this.process = process;
        this.events = events;
        this.port = Integer.parseInt(ports.substring(0, ports.indexOf(' ')));
        this.requestPort = Integer.parseInt(ports.substring(ports.indexOf(' ') + 1));
    }

    /**
     * Starts the process. Returns when the process accepts connections.
     *
     * @param directory directory for its files
     */
    public static Resource start(Path directory) throws IOException, InterruptedException {
        Path events = directory.resolve("resource.events.jsonl");
        CompletableFuture<String> ports = new CompletableFuture<>();
        RunningProgram process = Program.java(ResourceProgram.class)
                .log(directory.resolve("resource.log"))
                .jvm(HEAP)
                .arguments(events)
                .start(ports::complete);
        try {
            return new Resource(process, events, ports.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            process.close();
            throw new IOException("the resource did not start; see " + directory.resolve("resource.log"), e);
        }
    }

    /** Returns whether the process has not ended yet. */
    public boolean isAlive() {
        return process.isAlive();
    }

    int port() {
        return port;
    }

    /** Returns the port for HTTP requests. */
    int requestPort() {
        return requestPort;
    }

    /** Returns the time at which the process was started. */
    Instant begun() {
        return begun;
    }

    /** Returns all writes so far, in the order in which the resource decided them. */
    public List<EventLog.Line> history() throws IOException {
        return EventLog.read(events);
    }

    /** Kills the process. */
    @Override
    public void close() {
        process.close();
    }
}
