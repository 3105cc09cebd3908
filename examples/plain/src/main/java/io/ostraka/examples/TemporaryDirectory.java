package io.ostraka.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory that is deleted with all its contents when it is closed. */
public final class TemporaryDirectory implements AutoCloseable {
    private final Path path;

    private TemporaryDirectory(Path path) {
        this.path = path;
    }

    /** Creates a directory. */
    public static TemporaryDirectory create() throws IOException {
        return new TemporaryDirectory(Files.createTempDirectory("ostraka-"));
    }

    /** Returns the path of the directory. */
    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        // another process may still be adding files, so try a few times
        for (int attempt = 1; Files.exists(path); attempt++) {
            try {
                for (Path each : deepestFirst()) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException | UncheckedIOException e) {
                if (attempt == 3) {
                    throw e;
                }
            }
        }
    }

    private List<Path> deepestFirst() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            return all.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
