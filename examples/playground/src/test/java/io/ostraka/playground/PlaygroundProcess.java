package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A playground in a process of its own. Closing it ends it. */
final class PlaygroundProcess implements AutoCloseable {
    private final Process process;
    private final URI link;

    private PlaygroundProcess(Process process, URI link) {
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
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporary,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                PlaygroundMain.class.getName(),
                "--port",
                "0"));
        command.addAll(List.of(options));
        Path errors = logs.resolve("errors.txt");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        while (line != null && !line.startsWith("http")) {
            line = output.readLine();
        }
        assertThat(line).as("link; errors: %s", Files.readString(errors)).isNotNull();
        return new PlaygroundProcess(process, URI.create(line));
    }

    Process process() {
        return process;
    }

    /** Returns the link that logs in once. */
    URI link() {
        return link;
    }

    @Override
    public void close() {
        process.toHandle().destroy();
        process.onExit().join();
    }
}
