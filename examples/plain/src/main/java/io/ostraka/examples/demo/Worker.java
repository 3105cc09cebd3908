package io.ostraka.examples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A worker process and the operations on it. Only the story's thread uses it, except for {@link #name}, {@link #state}
 * and {@link #destroy}, which any thread may call.
 */
final class Worker {
    private static final int KILLED_BY_SIGNAL_9 = 128 + 9;
    private static final Duration PROMPTLY = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final Thread listener;
    private volatile String state = "working";
    private volatile boolean mayEnd;
    private volatile @Nullable Process freezer;

    Worker(String name, Process process, Board board) {
        this.name = name;
        this.process = process;
        this.listener = new Thread(() -> listen(board), "listen-to-" + name);
        listener.setDaemon(true);
        listener.start();
    }

    private void listen(Board board) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                long now = System.nanoTime();
                WorkerEvent.parse(line).ifPresent(event -> board.heard(name, event, now));
            }
        } catch (IOException e) {
            // the process has ended; its last output is lost
        }
        if (!mayEnd) {
            board.fail(name + " ended by itself");
        }
    }

    String name() {
        return name;
    }

    /** Returns the worker's state in a word. */
    String state() {
        return state;
    }

    void send(String command) throws IOException {
        OutputStream commands = process.getOutputStream();
        commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        commands.flush();
    }

    /** Kills the process with -9. Returns when it has ended and all its output was processed. */
    void kill() throws DemoFailure, InterruptedException {
        mayEnd = true;
        process.destroyForcibly();
        await(process);
        listener.join(PROMPTLY.toMillis());
        if (process.exitValue() != KILLED_BY_SIGNAL_9) {
            throw new DemoFailure(name + " did not die of kill -9 but ended with " + process.exitValue());
        }
        state = "killed";
    }

    /**
     * Stops the process with SIGSTOP, as if its machine paused. A helper process sends this signal. When the helper's
     * input ends, the helper lets the worker continue. The input also ends if the demo is killed, so no worker stays
     * frozen.
     */
    void freeze() throws IOException, DemoFailure {
        String pid = Long.toString(process.pid());
        Process helper = new ProcessBuilder("sh", "-c", "kill -STOP $0 && echo stopped; read line; kill -CONT $0", pid)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        freezer = helper;
        if (!"stopped".equals(helper.inputReader().readLine())) {
            throw new DemoFailure("could not stop " + name + ", process " + pid);
        }
        state = "frozen";
    }

    /** Lets the process continue. */
    void thaw() throws IOException, DemoFailure, InterruptedException {
        Process helper = freezer;
        if (helper != null) {
            helper.getOutputStream().close();
            await(helper);
            state = "working";
        }
    }

    /** Asks the process to shut down. The method {@link #stopped} returns whether it did. */
    void stop() throws IOException {
        mayEnd = true;
        send(SettlementWorker.STOP);
    }

    boolean stopped() throws InterruptedException {
        boolean stopped = process.waitFor(PROMPTLY.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
        state = stopped ? "stopped" : "did not stop";
        return stopped;
    }

    /** Ends the process in any state. */
    void destroy() {
        mayEnd = true;
        process.destroyForcibly();
        Process helper = freezer;
        if (helper != null) {
            helper.destroyForcibly();
        }
        process.onExit()
                .completeOnTimeout(process, PROMPTLY.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private void await(Process awaited) throws DemoFailure, InterruptedException {
        if (!awaited.waitFor(PROMPTLY.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new DemoFailure("process " + awaited.pid() + " of " + name + " has not ended in time");
        }
    }
}
