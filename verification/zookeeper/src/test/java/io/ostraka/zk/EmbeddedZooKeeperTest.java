package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ostraka.api.CoordinationException;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.process.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class EmbeddedZooKeeperTest {
    @TempDir
    private Path directory;

    @Test
    void restartKeepsPortAndData() throws IOException {
        String first;
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0);
                var client = new TestClient(server.connectString())) {
            client.create("/kept", "value");
            first = server.connectString();
        }

        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0);
                var client = new TestClient(server.connectString())) {
            assertThat(server.connectString()).isEqualTo(first);
            assertThat(client.data("/kept")).isEqualTo("value");
        }
    }

    @Test
    void createsDirectoryAndUsesGivenPort() throws IOException {
        int free = Ports.free();

        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory.resolve("not/there/yet"), free)) {
            assertThat(server.port()).isEqualTo(free);
            assertThat(server.connectString()).isEqualTo("127.0.0.1:" + free);
            assertThat(command(server, "ruok")).isEqualTo("imok");
        }
    }

    @Test
    void otherUsersCannotReadTheData() throws IOException {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path created = directory.resolve("created");

        EmbeddedZooKeeper.start(open, 0).close();
        EmbeddedZooKeeper.start(created, 0).close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(created)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(open.resolve("data"))))
                .isEqualTo("rwx------");
    }

    @Test
    void restartsLeaveNoConfigurationBehind() throws IOException {
        for (int i = 0; i < 5; i++) {
            EmbeddedZooKeeper.start(directory, 0).close();
        }

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("data", "ostraka.lock", "ostraka.port");
        }
    }

    @Test
    void refusesOccupiedPortAndNamesIt() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();

            assertThatExceptionOfType(CoordinationException.class)
                    .isThrownBy(() -> EmbeddedZooKeeper.start(directory, port))
                    .withMessageContaining("port " + port)
                    .withMessageContaining(directory.toString());
        }
        EmbeddedZooKeeper.start(directory, 0).close();
    }

    @Test
    void doesNotSilentlyReplacePortOfLastStart() throws IOException {
        EmbeddedZooKeeper before = EmbeddedZooKeeper.start(directory, 0);
        before.close();

        try (var taken = new ServerSocket(before.port(), 1, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(CoordinationException.class)
                    .isThrownBy(() -> EmbeddedZooKeeper.start(directory, 0))
                    .withMessageContaining("port " + taken.getLocalPort())
                    .withMessageContaining("last start")
                    .withMessageContaining("ostraka.port");
        }
    }

    @Test
    void refusesDirectoryInUse() {
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0)) {
            assertThatExceptionOfType(CoordinationException.class)
                    .isThrownBy(() -> EmbeddedZooKeeper.start(directory, 0))
                    .withMessageContaining(directory.toString())
                    .withMessageContaining("another embedded ZooKeeper");
            assertThat(server.port()).isPositive();
        }
    }

    /** On Linux, a process releases a lock when it closes any handle of the file. */
    @Test
    void refusedSecondStartKeepsLockOfFirstServer() throws Exception {
        Path link =
                Files.createSymbolicLink(directory.resolve("link"), Files.createDirectory(directory.resolve("home")));
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory.resolve("home"), 0)) {
            for (Path spelling : List.of(directory.resolve("home"), directory.resolve("home/."), link)) {
                assertThatExceptionOfType(CoordinationException.class)
                        .isThrownBy(() -> EmbeddedZooKeeper.start(spelling, 0))
                        .withMessageContaining("another embedded ZooKeeper");
            }
            assertThat(Program.java(LockProgram.class)
                            .arguments(directory.resolve("home/ostraka.lock"))
                            .run())
                    .as("another process gets the lock")
                    .isEqualTo("false");
            assertThat(server.port()).isPositive();
        }
    }

    /** Prints whether it gets the lock of a file. */
    static final class LockProgram {
        public static void main(String[] arguments) throws IOException {
            try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
                System.out.println(file.tryLock() != null);
            }
        }
    }

    @Test
    void refusesPathThatIsNotADirectory() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "in the way");

        assertThatExceptionOfType(CoordinationException.class)
                .isThrownBy(() -> EmbeddedZooKeeper.start(file, 0))
                .withMessageContaining(file.toString())
                .withMessageContaining("choose another");
    }

    @Test
    void answersOnlyHarmlessCommands() throws IOException {
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0)) {
            for (String command : List.of("mntr", "srvr", "ruok")) {
                assertThat(command(server, command)).doesNotContain("not in the whitelist");
            }
            for (String command : List.of("dump", "envi", "conf", "cons")) {
                assertThat(command(server, command)).contains("not in the whitelist");
            }
        }
    }

    @Test
    void secondCloseDoesNothing() {
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0);

        server.close();
        server.close();

        EmbeddedZooKeeper.start(directory, 0).close();
    }

    static String command(EmbeddedZooKeeper server, String command) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
