package io.ostraka.bench;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The handle of an entrant's process, which is one instance of its application. */
final class Race implements AutoCloseable {
    /** Time limit for the measurement of one process. */
    static final Duration LIMIT = Duration.ofMinutes(20);
    /** Time limit for the end of a process. The next measurement waits for this end, which closes the session. */
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private final Entrant entrant;
    private final RunningProgram process;
    private final Map<String, String> early = new HashMap<>();

    /**
     * Starts the process. It schedules nothing until {@link #begin} is called.
     *
     * @param program a {@link ContenderProcess}
     */
    Race(Program program, Entrant entrant) throws IOException {
        this.entrant = entrant;
        process = program.start();
        CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS).execute(process::kill);
        String first = process.readLine();
        if (!"ready".equals(first)) {
            throw new IllegalStateException(entrant.text() + " did not start: " + first);
        }
    }

    void begin() {
        process.tell("begin");
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
        process.tell("trigger");
    }

    /** Returns the number of item runs that have ended. */
    long runs() throws IOException {
        process.tell("runs");
        return number("runs");
    }

    /** Returns the number of threads of the process. */
    long threads() throws IOException {
        process.tell("threads");
        return number("threads");
    }

    /** Returns the bytes of heap in use after a collection. */
    long heap() throws IOException {
        process.tell("heap");
        return number("heap");
    }

    /** Creates and removes jobs, as in {@link Contender#comeAndGo}. */
    void comeAndGo(int from, int to) throws IOException {
        process.tell("come-and-go " + from + " " + to);
        await("come-and-go");
    }

    /** Purges removed jobs, as in {@link Contender#purge}. */
    void purge(int from, int to) throws IOException {
        process.tell("purge " + from + " " + to);
        await("purge");
    }

    /** Begins to record when the code of items starts. */
    void note() throws IOException {
        process.tell("note");
        await("note");
    }

    /** Returns the starts recorded since {@link #note}; the recording continues. */
    Noted notedSoFar() throws IOException {
        process.tell("noted-so-far");
        return Noted.parse(await("noted-so-far"));
    }

    /** Returns the starts recorded since {@link #note}, and ends the recording. */
    Noted noted() throws IOException {
        process.tell("noted");
        return Noted.parse(await("noted"));
    }

    /** Returns the CPU time of the process so far, in milliseconds. The operating system counts it in steps of ten. */
    long cpuMillis() {
        return cpuMillis(process);
    }

    static long cpuMillis(RunningProgram process) {
        return process.handle().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
    }

    /** Ends the process with a signal, as an operator would. Returns the milliseconds until it has ended. */
    long terminate() {
        long begun = System.nanoTime();
        process.terminate();
        process.onExit().join();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private long number(String what) throws IOException {
        return Long.parseLong(await(what));
    }

    private String await(String what) throws IOException {
        String answer = early.remove(what);
        while (answer == null) {
            String line = process.readLine();
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
        process.tell("quit");
        process.onExit()
                .completeOnTimeout(0, END_LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        process.close();
    }
}
