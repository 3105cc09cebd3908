package io.ostraka.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The handle of an entrant's process, which is one instance of its application. */
final class Race implements AutoCloseable {
    /** Time limit for the measurement of one process. */
    static final Duration LIMIT = Duration.ofMinutes(20);
    /** Time limit for the end of a process. The next measurement waits for this end, which closes the session. */
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private final Entrant entrant;
    private final java.lang.Process process;
    private final BufferedReader answers;
    private final PrintStream questions;
    private final Map<String, String> early = new HashMap<>();

    /**
     * Starts the process. It schedules nothing until {@link #begin} is called.
     *
     * @param classPath class path with all that the process needs
     * @param workMillis duration of each item's work
     */
    Race(Jvm jvm, Entrant entrant, String classPath, UniformLoad load, int workMillis) throws IOException {
        this.entrant = entrant;
        List<String> arguments = new ArrayList<>(List.of(entrant.contender(), Integer.toString(workMillis)));
        arguments.addAll(load.arguments());
        process = jvm.start(classPath, ContenderProcess.class, arguments);
        answers = process.inputReader(StandardCharsets.UTF_8);
        questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS).execute(process::destroyForcibly);
        String first = answers.readLine();
        if (!"ready".equals(first)) {
            throw new IllegalStateException(entrant.text() + " did not start: " + first);
        }
    }

    void begin() {
        questions.println("begin");
    }

    /** Waits until each job has run. Returns the milliseconds since {@link #begin}. */
    long started() throws IOException {
        return number("started");
    }

    /** Waits until the scheduler reports all jobs as scheduled. Returns the milliseconds since {@link #begin}. */
    long scheduled() throws IOException {
        return number("scheduled");
    }

    /** Requests another execution of the first job, without waiting. */
    void trigger() {
        questions.println("trigger");
    }

    /** Returns the number of item runs that have ended. */
    long runs() throws IOException {
        questions.println("runs");
        return number("runs");
    }

    /** Returns the number of threads of the process. */
    long threads() throws IOException {
        questions.println("threads");
        return number("threads");
    }

    /** Returns the bytes of heap in use after a collection. */
    long heap() throws IOException {
        questions.println("heap");
        return number("heap");
    }

    /** Creates and removes jobs, as in {@link Contender#comeAndGo}. */
    void comeAndGo(int from, int to) throws IOException {
        questions.println("come-and-go " + from + " " + to);
        await("come-and-go");
    }

    /** Purges removed jobs, as in {@link Contender#purge}. */
    void purge(int from, int to) throws IOException {
        questions.println("purge " + from + " " + to);
        await("purge");
    }

    /** Begins to record when the code of items starts. */
    void note() throws IOException {
        questions.println("note");
        await("note");
    }

    /** Returns the starts recorded since {@link #note}; the recording continues. */
    Noted notedSoFar() throws IOException {
        questions.println("noted-so-far");
        return Noted.parse(await("noted-so-far"));
    }

    /** Returns the starts recorded since {@link #note}, and ends the recording. */
    Noted noted() throws IOException {
        questions.println("noted");
        return Noted.parse(await("noted"));
    }

    /** Returns the CPU time of the process so far, in milliseconds. The operating system counts it in steps of ten. */
    long cpuMillis() {
        return cpuMillis(process);
    }

    static long cpuMillis(java.lang.Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
    }

    /** Ends the process with a signal, as an operator would. Returns the milliseconds until it has ended. */
    long terminate() {
        long begun = System.nanoTime();
        process.toHandle().destroy(); // Process.destroy() would also close its output
        process.onExit().join();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private long number(String what) throws IOException {
        return Long.parseLong(await(what));
    }

    private String await(String what) throws IOException {
        String answer = early.remove(what);
        while (answer == null) {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException(entrant.text() + " ended, or took longer than " + LIMIT);
            }
            String[] parts = line.split(" ", 2);
            early.put(parts[0], parts[1]);
            answer = early.remove(what);
        }
        return answer;
    }

    @Override
    public void close() {
        questions.println("quit");
        try {
            process.onExit().get(END_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly().onExit().join();
        } catch (Exception e) {
            throw new IllegalStateException("waiting for the end of " + entrant.text(), e);
        }
    }
}
