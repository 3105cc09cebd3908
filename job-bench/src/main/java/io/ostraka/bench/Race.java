package io.ostraka.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An entrant's process, from outside. */
final class Race implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Entrant entrant;
    private final java.lang.Process process;
    private final BufferedReader answers;
    private final PrintStream questions;
    private final Map<String, Long> early = new HashMap<>();

    /** Starts the process; nothing is scheduled before {@link #begin}. */
    Race(Entrant entrant, String servers, String namespace, int jobs, int items, String cron) throws IOException {
        this.entrant = entrant;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                entrant.classPath(),
                ContenderProcess.class.getName(),
                entrant.contender()));
        command.addAll(List.of(servers, namespace, Integer.toString(jobs), Integer.toString(items), cron));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS).execute(process::destroyForcibly);
        String first = answers.readLine();
        if (!"ready".equals(first)) {
            throw new IllegalStateException(entrant.name() + " did not start: " + first);
        }
    }

    void begin() {
        questions.println("begin");
    }

    /** Waits until each job has run; returns the milliseconds since the beginning. */
    long started() throws IOException {
        return await("started");
    }

    /** Waits until the scheduler says that all is scheduled; returns the milliseconds since the beginning. */
    long scheduled() throws IOException {
        return await("scheduled");
    }

    /** How many items have run. */
    long runs() throws IOException {
        questions.println("runs");
        return await("runs");
    }

    /** How many threads its process has. */
    long threads() throws IOException {
        questions.println("threads");
        return await("threads");
    }

    private long await(String what) throws IOException {
        while (!early.containsKey(what)) {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException(entrant.name() + " ended, or took longer than " + LIMIT);
            }
            String[] parts = line.split(" ", 2);
            early.put(parts[0], Long.parseLong(parts[1]));
        }
        Long answer = early.remove(what);
        return answer == null ? 0 : answer;
    }

    @Override
    public void close() {
        questions.println("quit");
        process.destroy();
        process.onExit().join();
    }
}
