package io.ostraka.playground;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** A playground in a process of its own. Closing it ends it. */
final class PlaygroundProcess implements AutoCloseable {
    private final RunningProgram process;
    private final URI link;

    private PlaygroundProcess(RunningProgram process, URI link) {
        this.process = process;
        this.link = link;
    }

    /** Starts a playground whose files, and those of its processes, are in a directory. */
    static PlaygroundProcess start(Path directory, String... options) throws IOException {
        return start(Files.createDirectories(directory.resolve("temporary")), directory, options);
    }

    /**
     * Starts a playground.
     *
     * @param temporary directory of the files of the playground, which exists
     * @param logs directory of the error output
     */
    static PlaygroundProcess start(Path temporary, Path logs, String... options) throws IOException {
        RunningProgram process = Program.java(PlaygroundMain.class)
                .jvm("-Xmx160m", "-Djava.io.tmpdir=" + temporary)
                .jvm("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .arguments("--port", "0")
                .arguments((Object[]) options)
                .log(logs.resolve("errors.txt"))
                .start();
        for (String line = process.readLine(); line != null; line = process.readLine()) {
            if (line.startsWith("http")) {
                return new PlaygroundProcess(process, URI.create(line));
            }
        }
        throw new AssertionError("no link; errors: " + Files.readString(logs.resolve("errors.txt")));
    }

    RunningProgram process() {
        return process;
    }

    /** Returns the link that logs in once. */
    URI link() {
        return link;
    }

    @Override
    public void close() {
        process.terminate();
        process.onExit().join();
        process.close();
    }
}
