package io.ostraka.faults.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a process receives and sends lines, can be stopped and killed, and does not outlive its parent process.
 */
@Tag("cluster")
class JavaProcessTest {
    @TempDir
    Path directory;

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    /** Prints every line that it receives. */
    static final class Echo {
        public static void main(String[] arguments) {
            System.out.println("ready");
            System.err.println("written aside");
            ParentCommands.follow(System.out::println);
        }
    }

    /** Starts a child process. When this program receives a line, it stops the child process. */
    static final class Parent {
        public static void main(String[] arguments) throws IOException {
            JavaProcess child =
                    Program.of(Echo.class, Path.of(arguments[0])).jvm("-Xmx16m").start(line -> {});
            System.out.println(child.pid());
            ParentCommands.follow(line -> {
                child.stop();
                System.out.println("stopped");
            });
        }
    }

    private Path log() {
        return directory.resolve("log");
    }

    private JavaProcess start(Class<?> program) throws IOException {
        return Program.of(program, log()).jvm("-Xmx32m").arguments(log()).start(said::add);
    }

    private String heard() throws InterruptedException {
        String line = said.poll(90, TimeUnit.SECONDS);
        assertThat(line).isNotNull();
        return line;
    }

    @Test
    void linesAreExchangedAlsoAcrossAStop() throws Exception {
        try (JavaProcess echo = start(Echo.class)) {
            assertThat(heard()).isEqualTo("ready");
            assertThat(echo.tell("one")).isTrue();
            assertThat(heard()).isEqualTo("one");

            echo.stop();
            assertThat(Files.readString(Path.of("/proc/" + echo.pid() + "/status")))
                    .contains("State:\tT");
            echo.tell("two");
            echo.go();

            assertThat(heard()).isEqualTo("two");
            assertThat(Files.readString(log())).contains("written aside");
        }
    }

    @Test
    void stoppedProcessCanBeKilled() throws Exception {
        JavaProcess echo = start(Echo.class);
        echo.stop();

        echo.kill();

        assertThat(echo.isAlive()).isFalse();
        assertThat(echo.isStopped()).isFalse();
        assertThat(echo.onExit().join()).isEqualTo(128 + 9);
        assertThat(echo.tell("too late")).isFalse();
    }

    @Test
    void stoppedProcessEndsWhenItsParentIsKilled() throws Exception {
        JavaProcess parent = start(Parent.class);
        ProcessHandle child = ProcessHandle.of(Long.parseLong(heard())).orElseThrow();
        parent.tell("stop it");
        assertThat(heard()).isEqualTo("stopped");

        parent.kill();

        assertThat(child.onExit().get(90, TimeUnit.SECONDS).isAlive()).isFalse();
    }
}
