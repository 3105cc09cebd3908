package io.ostraka.faults.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Program} that was started: told by the line, heard by the line, stopped, killed. It ends when this JVM does,
 * however that ends, if it {@linkplain Orders#follow follows its orders}. Thread-safe.
 */
public final class JavaProcess implements AutoCloseable {
    /**
     * Stops a process, says so when all its threads stand still, and lets it go on when nobody holds its own standard input
     * open any more; so that none stays stopped for good.
     */
    private static final String HOLD = "kill -STOP $0 || exit;"
            + " until [ -z \"$(grep -L '^State:.T' /proc/$0/task/*/status)\" ]; do :; done;"
            + " echo stopped; read -r line; kill -CONT $0";

    private final Process process;
    private final BufferedWriter orders;
    private final Thread hook;
    private @Nullable Process holder;

    JavaProcess(String name, Process process, Consumer<String> said) {
        this.process = process;
        orders = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        hook = new Thread(process::destroyForcibly, "kills " + name);
        Runtime.getRuntime().addShutdownHook(hook);
        Thread listener = new Thread(() -> listen(process, said), "hears " + name + " " + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    private static void listen(Process process, Consumer<String> said) {
        try (BufferedReader in = lines(process)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                said.accept(line);
            }
        } catch (IOException e) {
            // it was killed in the middle of a line
        }
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns the operating system's number of it. */
    public long pid() {
        return process.pid();
    }

    /** Tells whether it has not ended yet; one that is stopped lives. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns what completes with the exit code when it has ended: 137 after a kill. */
    public CompletableFuture<Integer> onExit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /**
     * Tells it something. One that is stopped hears it when it goes on.
     *
     * @return false when it has ended
     */
    public boolean tell(String line) {
        synchronized (orders) {
            try {
                orders.write(line);
                orders.newLine();
                orders.flush();
                return true;
            } catch (IOException e) {
                return false;
            }
        }
    }

    /** Stops it, with SIGSTOP; it knows nothing of that. Returns when it stands still. */
    public synchronized void stop() {
        if (holder != null) {
            return;
        }
        try {
            Process begun = new ProcessBuilder("/bin/sh", "-c", HOLD, Long.toString(pid())).start();
            String line = lines(begun).readLine();
            if (line == null) {
                throw new IllegalStateException("process " + pid() + " can't be stopped; does it live?");
            }
            holder = begun;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets it go on after a stop, with SIGCONT. */
    public synchronized void go() {
        if (holder == null) {
            return;
        }
        try {
            holder.getOutputStream().close();
            holder.onExit().join();
            holder = null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells whether it is stopped. */
    public synchronized boolean isStopped() {
        return holder != null;
    }

    /** Kills it, with SIGKILL, also while it is stopped. Returns when it is gone. */
    public void kill() {
        process.destroyForcibly().onExit().join();
        go();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // this JVM ends; the hook finds nothing to do
        }
    }

    /** Kills it. */
    @Override
    public void close() {
        kill();
    }
}
