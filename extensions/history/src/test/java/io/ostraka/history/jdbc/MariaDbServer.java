package io.ostraka.history.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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

    private static final boolean ROOT = System.getProperty("user.name").equals("root");

    private final Path directory = Files.createTempDirectory("mariadb");
    private final int port = freePort();
    private final Process server;
    private final Thread atExit = new Thread(this::stop, "end of MariaDB");

    private MariaDbServer(Path install, Path program) throws IOException {
        if (ROOT) { // the server refuses to run as root
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        }
        Process created =
                program(install, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve");
        String output = new String(created.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (created.onExit().join().exitValue() != 0) {
            throw new IOException(install + " failed:\n" + output);
        }
        server = program(
                program,
                "--port=" + port,
                "--bind-address=" + InetAddress.getLoopbackAddress().getHostAddress(),
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--innodb-flush-log-at-trx-commit=0",
                "--skip-name-resolve");
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
        String said = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            var server = new MariaDbServer(install.get(), program.get());
            said = server.readUntilReady();
            if (said.isEmpty()) {
                return server;
            }
            server.close();
        }
        throw new IOException("MariaDB does not start:\n" + said);
    }

    private static Optional<Path> find(String program) {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/bin";
        return Stream.of(path.split(":"))
                .map(each -> Path.of(each).resolve(program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process program(Path program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--init-groups"));
        }
        command.addAll(List.of(program.toString(), "--no-defaults", "--datadir=" + directory.resolve("data")));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        // A server deletes the temporary tables that it finds here when it starts, even those of other servers.
        builder.environment().put("TMPDIR", directory.toString());
        return builder.start();
    }

    /** Returns the empty text when the server is ready, or its output if it has ended. */
    private String readUntilReady() throws IOException {
        BufferedReader output = server.inputReader();
        var said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.contains(READY)) {
                var drain = new Thread(() -> output.lines().forEach(later -> {}), "output of MariaDB");
                drain.setDaemon(true);
                drain.start();
                return "";
            }
            said.append(line).append('\n');
        }
        return said.toString();
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
        server.destroyForcibly().onExit().join();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
