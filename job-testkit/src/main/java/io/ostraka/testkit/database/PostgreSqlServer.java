package io.ostraka.testkit.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server with an empty database in a temporary directory. It listens only on the loopback interface, where
 * it accepts every user of this machine without a password. A test can kill, freeze and restart the server, and can
 * fill its disk if the disk is small. Thread-safe.
 */
public final class PostgreSqlServer implements AutoCloseable {
    /** Message for tests that are skipped because {@link #isInstalled} returns false. */
    public static final String NOT_INSTALLED =
            "no PostgreSQL server is installed in /usr/lib/postgresql or on the PATH";

    /** Number of attempts to start, because another process may take the chosen port before the server does. */
    private static final int ATTEMPTS = 3;

    private static final String FILLER = "filler";

    private final PostgreSqlPrograms programs;
    private final Path directory;
    private final @Nullable SmallDisk disk;
    private final int port;
    private final Thread atExit = new Thread(this::end, "end of PostgreSQL");
    private @Nullable PostgreSqlProcess process;

    private PostgreSqlServer(PostgreSqlPrograms programs, Path directory, @Nullable SmallDisk disk, int port) {
        this.programs = programs;
        this.directory = directory;
        this.disk = disk;
        this.port = port;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Returns whether a PostgreSQL server is installed. */
    public static boolean isInstalled() {
        return PostgreSqlPrograms.find().isPresent();
    }

    /**
     * Starts a server and returns when it accepts connections.
     *
     * @throws IllegalStateException if no PostgreSQL server is installed
     * @throws IOException if the server does not start; the message contains its output
     */
    public static PostgreSqlServer start() throws IOException {
        return start(false, 0);
    }

    /**
     * Starts a server whose disk has a limited size, so that {@link #fill} can fill it. This requires the right to
     * mount a file system. Without this right, the disk has no limit.
     *
     * @param megabytes size of the disk; at least 200 for an empty database
     * @throws IllegalStateException if no PostgreSQL server is installed
     * @throws IOException if the server does not start; the message contains its output
     */
    public static PostgreSqlServer startOnSmallDisk(int megabytes) throws IOException {
        return start(true, megabytes);
    }

    private static PostgreSqlServer start(boolean small, int megabytes) throws IOException {
        PostgreSqlPrograms programs =
                PostgreSqlPrograms.find().orElseThrow(() -> new IllegalStateException(NOT_INSTALLED));
        IOException last = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Path directory = Files.createTempDirectory("postgresql");
            SmallDisk disk = small ? SmallDisk.mount(directory, megabytes).orElse(null) : null;
            var server = new PostgreSqlServer(programs, directory, disk, freePort());
            try {
                programs.own(directory);
                programs.create(directory);
                server.restart();
                return server;
            } catch (IOException e) {
                last = e;
                server.close();
            }
        }
        throw new IOException("PostgreSQL does not start", last);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns the JDBC URL of the database, with its user. */
    public String url() {
        return "jdbc:postgresql://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port + "/postgres?user="
                + PostgreSqlPrograms.USER;
    }

    /** Kills all processes of the server with SIGKILL, even if they are frozen. Returns when they have ended. */
    public synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    /**
     * Starts the server again with the same data and the same port, unless it is running. Returns when it accepts
     * connections.
     *
     * @throws IOException if the server does not start; the message contains its output
     */
    public synchronized void restart() throws IOException {
        if (process != null && process.isAlive()) {
            return;
        }
        kill(); // if the server has ended by itself, some of its processes may remain
        process = PostgreSqlProcess.start(programs, directory, port);
    }

    /** Freezes all processes of the server with SIGSTOP. Its connections stay open, but it does not answer. */
    public synchronized void freeze() {
        if (process != null) {
            process.signal("STOP");
        }
    }

    /** Continues the processes that {@link #freeze} has stopped. */
    public synchronized void thaw() {
        if (process != null) {
            process.signal("CONT");
        }
    }

    /** Returns whether the size of the disk is limited, so that {@link #fill} has an effect. */
    public boolean isDiskSmall() {
        return disk != null;
    }

    /** Fills the small disk, so that the server can no longer write to it. This may cause the server to end. */
    public synchronized void fill() throws IOException {
        if (disk != null) {
            disk.fill(FILLER);
        }
    }

    /** Frees the space that {@link #fill} has used, and starts the server again if it has ended. */
    public synchronized void free() throws IOException {
        if (disk != null) {
            disk.free(FILLER);
            restart();
        }
    }

    /** Kills the server, which ends all connections, and deletes its directory. */
    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        end();
    }

    private synchronized void end() {
        kill();
        try {
            if (disk != null) {
                disk.unmount();
            }
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
