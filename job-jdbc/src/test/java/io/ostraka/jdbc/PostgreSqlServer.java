package io.ostraka.jdbc;

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
 * A PostgreSQL server of its own for a test, with an empty database in a temporary directory. It listens on the
 * loopback interface only, on which it accepts every user of this machine without a password.
 */
public final class PostgreSqlServer implements AutoCloseable {
    private static final String USER = "postgres";
    private static final String READY = "database system is ready to accept connections";
    /** Another process may take the free port before the server does. */
    private static final int ATTEMPTS = 3;

    private static final boolean ROOT = System.getProperty("user.name").equals("root");

    private final Path programs;
    private final Path directory = Files.createTempDirectory("postgresql");
    private final int port = freePort();
    private final Process server;
    private final Thread atExit = new Thread(this::stop, "end of PostgreSQL");

    private PostgreSqlServer(Path programs) throws IOException {
        this.programs = programs;
        if (ROOT) { // the server refuses to run as root
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        }
        run("initdb", "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync");
        String address = "listen_addresses=" + InetAddress.getLoopbackAddress().getHostAddress();
        server = program("postgres", "-p", "" + port, "-k", directory.toString(), "-c", address, "-c", "fsync=off");
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Starts a server and returns when it accepts connections. Skips the calling test if no PostgreSQL is installed.
     *
     * @throws IOException if the server does not start; the message contains its output
     */
    public static PostgreSqlServer start() throws IOException {
        Optional<Path> programs = programs();
        assumeTrue(programs.isPresent(), "no PostgreSQL server is installed in /usr/lib/postgresql or on the PATH");
        String said = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            var server = new PostgreSqlServer(programs.get());
            said = server.readUntilReady();
            if (said.isEmpty()) {
                return server;
            }
            server.close();
        }
        throw new IOException("PostgreSQL does not start:\n" + said);
    }

    /** Returns the directory of the newest installed server's programs. */
    private static Optional<Path> programs() throws IOException {
        List<Path> found = new ArrayList<>();
        Path versions = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(versions)) {
            try (Stream<Path> each = Files.list(versions)) {
                each.sorted(Comparator.comparing(PostgreSqlServer::version).reversed())
                        .forEach(version -> found.add(version.resolve("bin")));
            }
        }
        for (String each : System.getenv().getOrDefault("PATH", "").split(":")) {
            found.add(Path.of(each));
        }
        return found.stream()
                .filter(each -> Files.isExecutable(each.resolve("initdb"))
                        && Files.isExecutable(each.resolve("postgres"))
                        && Files.isExecutable(each.resolve("pg_ctl")))
                .findFirst();
    }

    private static double version(Path directory) {
        String name = directory.getFileName().toString();
        return name.matches("\\d+(\\.\\d+)?") ? Double.parseDouble(name) : 0;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process program(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--init-groups"));
        }
        command.addAll(List.of(programs.resolve(name).toString(), "-D", directory + "/data"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C"); // for READY
        return builder.start();
    }

    private void run(String name, String... arguments) throws IOException {
        Process process = program(name, arguments);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(name + " failed:\n" + output);
        }
    }

    /** Returns the empty text when the server is ready, or its output if it has ended. */
    private String readUntilReady() throws IOException {
        BufferedReader output = server.inputReader();
        var said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.contains(READY)) {
                var drain = new Thread(() -> output.lines().forEach(later -> {}), "output of PostgreSQL");
                drain.setDaemon(true);
                drain.start();
                return "";
            }
            said.append(line).append('\n');
        }
        return said.toString();
    }

    /** Returns the JDBC URL of the database, with its user. */
    public String url() {
        return "jdbc:postgresql://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port + "/postgres?user="
                + USER;
    }

    /** Stops the server, which ends all connections, and deletes its directory. */
    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        stop();
    }

    private void stop() {
        try {
            if (server.isAlive()) {
                run("pg_ctl", "stop", "-m", "immediate");
            }
            server.onExit().join();
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
