package io.ostraka.testkit.database;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An in-memory file system of limited size.
 *
 * @param directory directory at which it is mounted
 */
record SmallDisk(Path directory) {
    private static final int BLOCK = 64 << 10;

    /** Mounts a file system. Returns empty if this process does not have the right to mount one. */
    static Optional<SmallDisk> mount(Path directory, int megabytes) {
        try {
            run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + megabytes + "m", "tmpfs", directory.toString());
            return Optional.of(new SmallDisk(directory));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void unmount() throws IOException {
        run("umount", directory.toString());
    }

    /** Writes a file until no space is left. */
    void fill(String name) throws IOException {
        byte[] block = new byte[BLOCK];
        try (OutputStream file = Files.newOutputStream(directory.resolve(name))) {
            for (int size = BLOCK; size > 0; size /= 2) {
                fill(file, block, size);
            }
        } catch (IOException e) {
            if (directory.toFile().getUsableSpace() > 0) {
                throw e;
            }
        }
    }

    private static void fill(OutputStream file, byte[] block, int size) {
        try {
            while (true) {
                file.write(block, 0, size);
            }
        } catch (IOException e) {
            // no space for a block of this size
        }
    }

    void free(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    private static void run(String... command) throws IOException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + output);
        }
    }
}
