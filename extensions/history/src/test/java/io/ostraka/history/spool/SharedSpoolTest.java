package io.ostraka.history.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Two processes share a directory of spools. On Linux, closing any handle of a lock file releases the lock. */
@Tag("cluster")
class SharedSpoolTest {
    private static final String NAMESPACE = "orders";
    /** A process that releases its whole lock for a check loses it about once in 3,000 of these looks. */
    private static final int LOOKS = 20_000;

    @TempDir
    Path directory;

    /** The other process. It takes over the spools that it finds, and prints the rows of each on a line. */
    static final class Finder {
        private Finder() {}

        /**
         * Takes over spools.
         *
         * @param arguments the directory
         */
        public static void main(String[] arguments) throws IOException {
            try (SpoolDirectory spools = SpoolDirectory.open(Path.of(arguments[0]), NAMESPACE, 1 << 20)) {
                for (Spool spool : spools.spools()) {
                    if (spool != spools.own()) {
                        System.out.println(spool.source() + " " + numbers(spool));
                    }
                }
                System.out.println("all");
                System.in.read(); // keeps the locks
            }
        }
    }

    /** Another process. It tries to lock a directory many times, and prints how often it has succeeded. */
    static final class Thief {
        private Thief() {}

        /**
         * Tries to lock a directory.
         *
         * @param arguments the directory
         */
        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0]);
            int taken = 0;
            for (int look = 0; look < LOOKS; look++) {
                try (SpoolLock lock = SpoolLock.tryLock(directory)) {
                    taken += lock == null ? 0 : 1;
                }
            }
            System.out.println(taken);
        }
    }

    private static Row row(long number) {
        return new Measurement("job", Instant.EPOCH, "SUCCEEDED", number, null);
    }

    private static List<Long> numbers(Spool spool) throws IOException {
        return spool.read(Position.START, 100).rows().stream()
                .map(each -> ((Measurement) each.row()).count())
                .toList();
    }

    private RunningProgram start(Class<?> program) throws IOException {
        return Program.java(program).arguments(directory).start();
    }

    private void assertNothingFound() throws IOException {
        try (RunningProgram other = start(Finder.class)) {
            assertThat(other.readLine()).isEqualTo("all");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "link"})
    void anotherProcessTakesNoSpoolOfAProcessThatSpellsTheDirectoryInTwoWays(String spelling) throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), directory);
        try (SpoolDirectory one = SpoolDirectory.open(directory, NAMESPACE, 1 << 20);
                SpoolDirectory two = SpoolDirectory.open(directory.resolve(spelling), NAMESPACE, 1 << 20)) {
            one.append(List.of(row(1)));
            two.append(List.of(row(1)));
            assertThat(one.spools()).containsExactly(one.own());
            assertThat(two.spools()).containsExactly(two.own());
            assertNothingFound();
        }
    }

    @Test
    void anotherProcessTakesNoSpoolOfAProcessWithTwoClassLoaders() throws Exception {
        List<URL> classes = new ArrayList<>();
        for (Class<?> each : List.of(Spool.class, LoggerFactory.class, Nullable.class)) {
            classes.add(each.getProtectionDomain().getCodeSource().getLocation());
        }
        try (SpoolDirectory one = SpoolDirectory.open(directory, NAMESPACE, 1 << 20);
                var loader = new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            one.append(List.of(row(1)));
            Class<?> type = loader.loadClass(SpoolDirectory.class.getName());
            try (var two = (AutoCloseable) type.getMethod("open", Path.class, String.class, long.class)
                    .invoke(null, directory, NAMESPACE, 1L << 20)) {
                assertThat((List<?>) type.getMethod("spools").invoke(two)).hasSize(1);
                assertThat(one.spools()).containsExactly(one.own());
                assertNothingFound();
            }
        }
    }

    /** A program that opens a named pipe waits until a second program opens the other end. */
    @Timeout(60)
    @Test
    void namedPipeInPlaceOfTheLockFileIsRefused() throws Exception {
        Path pipe = directory.resolve(SpoolLock.FILE);
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "there is no program mkfifo");
        assertThat(new ProcessBuilder("/usr/bin/mkfifo", pipe.toString())
                        .start()
                        .waitFor())
                .isZero();

        for (int i = 0; i < 2; i++) { // a refusal leaves no reservation behind
            assertThatThrownBy(() -> SpoolLock.tryLock(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessage(pipe + ": it is not a regular file");
        }
    }

    @Test
    void noProcessTakesASpoolWhileItsWriterChecksTheLock() throws Exception {
        try (SpoolLock lock = SpoolLock.tryLock(directory)) {
            assertThat(lock).isNotNull();
            RunningProgram thief = start(Thief.class);
            long checks = 0;
            long held = 0;
            while (thief.isAlive()) {
                checks++;
                held += lock.isHeld() ? 1 : 0;
            }
            assertThat(thief.readLine())
                    .as("locks that the other process has taken")
                    .isEqualTo("0");
            assertThat(held).isEqualTo(checks).isGreaterThan(LOOKS / 10);
        }
    }

    @Test
    void aWriterTakesItsLockAgainIfCodeOfItsProcessHasReleasedIt() throws IOException {
        try (SpoolDirectory spools = SpoolDirectory.open(directory, NAMESPACE, 1 << 20)) {
            spools.append(List.of(row(1)));
            releaseLock(spools);
            spools.append(List.of(row(2)));
            assertNothingFound();
            assertThat(numbers(spools.own())).containsExactly(1L, 2L);
        }
    }

    @Test
    void noRowIsLostIfAnotherProcessHasTakenTheSpoolOfAWriter() throws IOException {
        try (SpoolDirectory spools = SpoolDirectory.open(directory, NAMESPACE, 1 << 20)) {
            spools.append(List.of(row(1)));
            spools.append(List.of(row(2)));
            String before = spools.own().source();
            releaseLock(spools);
            try (RunningProgram other = start(Finder.class)) {
                assertThat(other.readLine()).isEqualTo(before + " [1, 2]");
                assertThat(other.readLine()).isEqualTo("all");
                spools.append(List.of(row(3)));
                assertThat(spools.own().source()).isNotEqualTo(before);
                assertThat(numbers(spools.own())).containsExactly(3L);
                assertThat(spools.spools()).containsExactly(spools.own());
                assertThat(spools.lost()).isZero();
            }
        }
    }

    /** Does what a backup inside the process might do. */
    private void releaseLock(SpoolDirectory spools) throws IOException {
        FileChannel.open(
                        directory
                                .resolve(NAMESPACE)
                                .resolve(spools.own().source())
                                .resolve("lock"),
                        StandardOpenOption.READ)
                .close();
    }
}
