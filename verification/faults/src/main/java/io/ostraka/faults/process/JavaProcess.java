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
 * The handle of a running {@link Program}. Lines can be sent to the process and received from it, and the process can
 * be stopped and killed. If the program calls {@link ParentCommands#follow}, it also ends when this JVM ends for any
 * reason. Thread-safe.
 */
public final class JavaProcess implements AutoCloseable {
    /**
     * Shell script that stops a process, prints a line when all threads of the process are stopped, and continues the
     * process when the script's standard input is closed. No process therefore stays stopped after the end of this JVM.
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
            // the process was killed in the middle of a line
        }
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process has not ended yet. A stopped process counts as alive. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Returns a future that completes with the exit code when the process has ended. The exit code is 137 after a kill.
     */
    public CompletableFuture<Integer> onExit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /**
     * Sends a line to the process. A stopped process receives it when it continues.
     *
     * @return false if the process has ended
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

    /** Stops the process with SIGSTOP. The process does not notice this. Returns when all its threads are stopped. */
    public synchronized void stop() {
        if (holder != null) {
            return;
        }
        try {
            Process begun = new ProcessBuilder("/bin/sh", "-c", HOLD, Long.toString(pid())).start();
            String line = lines(begun).readLine();
            if (line == null) {
                throw new IllegalStateException("process " + pid() + " cannot be stopped; it may have ended");
            }
            holder = begun;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Continues the process with SIGCONT if it is stopped. */
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

    /** Returns whether the process is stopped. */
    public synchronized boolean isStopped() {
        return holder != null;
    }

    /** Kills the process with SIGKILL, even if it is stopped. Returns when it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
        go();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // this JVM is shutting down; its hook has no effect any more, because the process has ended
        }
    }

    /** Kills the process. */
    @Override
    public void close() {
        kill();
    }
}
