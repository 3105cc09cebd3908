package io.ostraka.playground;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of the playground, and a shell process that deletes the directory when its own input ends. The input
 * also ends if the playground is killed. The shell also sends signals to the workers. Before it deletes the directory,
 * it lets frozen workers continue, so that they notice the end of their own input. Thread-safe.
 */
final class Guard implements AutoCloseable {
    /** Script of the shell. It ignores Ctrl-C, which the terminal sends to all processes of the playground. */
    private static final String SCRIPT =
            """
            trap '' HUP INT TERM
            pids=
            while read -r signal pid; do
              if [ "$signal" = 0 ]; then pids="$pids $pid"; fi
              if kill "-$signal" "$pid"; then echo sent; else echo failed; fi
            done
            for pid in $pids; do kill -CONT "$pid"; done
            for pid in $pids; do
              tries=50
              while [ $tries -gt 0 ] && kill -0 "$pid"; do sleep 0.1; tries=$((tries - 1)); done
            done
            until rm -rf -- "$0" && ! [ -e "$0" ]; do sleep 0.1; done
            """;

    private final Path directory;
    private final Process shell;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    private Guard(Path directory, Process shell) {
        this.directory = directory;
        this.shell = shell;
        this.commands = shell.outputWriter(StandardCharsets.UTF_8);
        this.answers = shell.inputReader(StandardCharsets.UTF_8);
    }

    /** Creates a directory, and starts the shell that will delete it. */
    static Guard start() throws IOException {
        Path directory = Files.createTempDirectory("ostraka-playground-");
        Process shell = new ProcessBuilder("sh", "-c", SCRIPT, directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new Guard(directory, shell);
    }

    Path directory() {
        return directory;
    }

    /** Adds a worker to those that the shell lets continue at the end. */
    void watch(long pid) {
        send("0", pid); // signal 0 only checks that the process exists
    }

    /**
     * Stops a process until {@link #resume}.
     *
     * @throws IllegalStateException if the process has ended
     */
    void freeze(long pid) {
        require(send("STOP", pid), pid);
    }

    /**
     * Lets a frozen process continue.
     *
     * @throws IllegalStateException if the process has ended
     */
    void resume(long pid) {
        require(send("CONT", pid), pid);
    }

    private static void require(boolean sent, long pid) {
        if (!sent) {
            throw new IllegalStateException("process " + pid + " has ended");
        }
    }

    private synchronized boolean send(String signal, long pid) {
        try {
            commands.write(signal + " " + pid + "\n");
            commands.flush();
            return "sent".equals(answers.readLine());
        } catch (IOException e) {
            throw new IllegalStateException("the guard of the playground has ended", e);
        }
    }

    /** Deletes the directory, and returns when it is deleted. */
    @Override
    public void close() throws IOException {
        commands.close();
        shell.onExit().join();
    }
}
