package io.ostraka.history.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A MariaDB server of its own for a test, with an empty database in a temporary directory. It listens on the loopback
 * interface only, on which it accepts root without a password.
 */
final class MariaDbServer implements AutoCloseable {
    private static final String USER = "mysql";
    private static final String READY = "ready for connections";
    /** Another process may take the free port before the server does. */
    private static final int ATTEMPTS = 3;

    private final Path directory = Files.createTempDirectory("mariadb");
    private final int port = Ports.free();
    private final RunningProgram server;
    private final Thread atExit = new Thread(this::stop, "end of MariaDB");

    private MariaDbServer(Path install, Path program) throws IOException {
        Program.give(directory, USER); // the server refuses to run as root
        program(install)
                .arguments("--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
                .run();
        server = program(program)
                .arguments("--port=" + port)
                .arguments("--bind-address=" + InetAddress.getLoopbackAddress().getHostAddress())
                .arguments("--socket=" + directory.resolve("socket"), "--pid-file=" + directory.resolve("pid"))
                .arguments("--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve")
                .errors(Redirect.PIPE)
                .start();
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Starts a server and returns when it accepts connections. Skips the calling test if no MariaDB is installed.
     *
     * @throws IOException if the server does not start; the message contains its output
     */
    static MariaDbServer start() throws IOException {
        Optional<Path> install = find("mariadb-install-db");
        Optional<Path> program = find("mariadbd");
        assumeTrue(
                install.isPresent() && program.isPresent(),
                "no MariaDB server is installed in /usr/sbin or on the PATH");
        for (int attempt = 1; ; attempt++) {
            var started = new MariaDbServer(install.get(), program.get());
            try {
                started.server.readUntil(READY);
                return started;
            } catch (IOException e) {
                started.close();
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static Optional<Path> find(String program) {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/bin";
        return Stream.of(path.split(":"))
                .map(each -> Path.of(each).resolve(program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private Program program(Path program) {
        return Program.as(USER, directory)
                .arguments(program, "--no-defaults", "--datadir=" + directory.resolve("data"))
                // A server deletes the temporary tables that it finds here when it starts, even those of other servers.
                .environment("TMPDIR", directory.toString());
    }

    /**
     * Returns the JDBC URL of a database.
     *
     * @param database name of the database; empty for none
     */
    String url(String database) {
        return "jdbc:mariadb://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port + "/" + database
                + "?user=root";
    }

    /** Kills the server, which ends all connections, and deletes its directory. */
    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        stop();
    }

    private void stop() {
        server.close();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
