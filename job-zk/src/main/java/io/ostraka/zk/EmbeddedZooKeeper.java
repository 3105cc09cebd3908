package io.ostraka.zk;

import io.ostraka.api.CoordinationException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Properties;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ZooKeeper server of this process, for development, demonstrations and tests: one server, no replica, this machine's
 * own clients alone. What is written to it survives a restart; old logs are dropped at each. It keeps the process alive
 * until it is closed.
 *
 * <p>Thread-safe. Some settings are ZooKeeper's own system properties and count for the whole process: the admin server
 * is off, and of the four-letter commands only {@code mntr}, {@code srvr} and {@code ruok} are answered.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedZooKeeper.class);

    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final int SNAPSHOTS_KEPT = 3;
    private static final String HOST = "127.0.0.1";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String LOCK_FILE = "ostraka.lock";
    private static final String PORT_FILE = "ostraka.port";
    private static final String LEAKED_FILES = "zookeeper.configuration*.properties";

    private final Path directory;
    private final FileChannel lock;
    private final ZooKeeperServerEmbedded server;
    private final int port;
    private boolean closed;

    private EmbeddedZooKeeper(Path directory, FileChannel lock, ZooKeeperServerEmbedded server, int port) {
        this.directory = directory;
        this.lock = lock;
        this.server = server;
        this.port = port;
    }

    /**
     * Starts a server; returns when it takes connections.
     *
     * @param directory where it keeps its data; created if it is missing, used by one server at a time
     * @param port where it listens, on the loopback address alone; 0 for the port of this directory's last start, so
     *     that a restarted server is found again, or a free one the first time
     * @throws CoordinationException when the directory cannot be written to or another server uses it, when the port is
     *     taken, or when the server doesn't start; the message says what to do
     */
    public static EmbeddedZooKeeper start(Path directory, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("Not a port: " + port);
        }
        Path home = directory.toAbsolutePath().normalize();
        FileChannel lock = lock(home);
        try {
            int chosen = choosePort(home, port);
            ZooKeeperServerEmbedded server = startServer(home, chosen);
            log.debug("ZooKeeper serves {} at port {}", home, chosen);
            return new EmbeddedZooKeeper(home, lock, server, chosen);
        } catch (RuntimeException e) {
            release(lock);
            throw e;
        }
    }

    /** Returns what clients connect to: the loopback address and the port. */
    public String connectString() {
        return HOST + ":" + port;
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return port;
    }

    /** Stops the server. Sessions end when they time out, or go on if it is started again before. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            server.close();
        } finally {
            release(lock);
        }
    }

    @Override
    public String toString() {
        return "ZooKeeper at " + connectString() + " in " + directory;
    }

    private static FileChannel lock(Path home) {
        FileChannel channel = null;
        try {
            Files.createDirectories(home);
            channel = FileChannel.open(home.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock held = tryLock(channel);
            if (held != null) {
                return channel;
            }
        } catch (IOException e) {
            release(channel);
            throw new CoordinationException(
                    "Cannot write to " + home
                            + ", the data directory of the embedded ZooKeeper: make it a directory that"
                            + " this user may write to, or choose another",
                    e);
        }
        release(channel);
        throw new CoordinationException("Another embedded ZooKeeper uses " + home
                + ": stop it, connect to it instead, or choose another directory");
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // by this process
        }
    }

    private static void release(@Nullable FileChannel lock) {
        if (lock == null) {
            return;
        }
        try {
            lock.close();
        } catch (IOException e) {
            log.debug("Could not close the lock file", e);
        }
    }

    private static int choosePort(Path home, int asked) {
        int wanted = asked == 0 ? lastPort(home) : asked;
        // tried first: the server itself would only log that its port is taken, and never be there
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as the server does
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), wanted));
            Files.writeString(home.resolve(PORT_FILE), Integer.toString(socket.getLocalPort()));
            return socket.getLocalPort();
        } catch (IOException e) {
            String remedy = asked == 0
                    ? " as it did at its last start: stop what listens there, or delete " + home.resolve(PORT_FILE)
                            + " to have another port chosen"
                    : ": stop what listens there, or choose another port";
            throw new CoordinationException(
                    "Port " + wanted + " is taken, where the embedded ZooKeeper in " + home + " should listen" + remedy,
                    e);
        }
    }

    private static int lastPort(Path home) {
        Path file = home.resolve(PORT_FILE);
        try {
            return Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
        } catch (IOException | NumberFormatException e) {
            log.warn("Cannot read {}; the embedded ZooKeeper takes a new port", file, e);
            return 0;
        }
    }

    private static ZooKeeperServerEmbedded startServer(Path home, int port) {
        ZooKeeperServerEmbedded server = null;
        try {
            server = ZooKeeperServerEmbedded.builder()
                    .baseDir(home)
                    .configuration(configuration(home, port))
                    .exitHandler(ExitHandler.LOG_ONLY)
                    .build();
            deleteLeakedFiles(home);
            purge(home);
            server.start(START_LIMIT.toMillis());
            return server;
        } catch (Exception e) { // what the server declares
            if (server != null) {
                server.close();
            }
            throw new CoordinationException(
                    "The embedded ZooKeeper in " + home + " did not start at port " + port
                            + ": see its log; if its data is damaged, move the directory away",
                    e);
        }
    }

    private static Properties configuration(Path home, int port) {
        var settings = new Properties();
        settings.setProperty("dataDir", data(home).toString());
        settings.setProperty("clientPortAddress", HOST);
        settings.setProperty("clientPort", Integer.toString(port));
        settings.setProperty("tickTime", "500");
        settings.setProperty("maxSessionTimeout", "60000");
        settings.setProperty("maxClientCnxns", "200");
        settings.setProperty("maxCnxns", "1000");
        settings.setProperty("admin.enableServer", "false");
        settings.setProperty("4lw.commands.whitelist", "mntr, srvr, ruok");
        // a log file takes 64 MiB at once otherwise
        settings.setProperty("preAllocSize", "4096");
        return settings;
    }

    private static Path data(Path home) {
        return home.resolve("data");
    }

    /** Drops old logs here: ZooKeeper's own timer for it outlives the server. */
    private static void purge(Path home) throws IOException {
        if (Files.exists(data(home))) {
            PurgeTxnLog.purge(data(home).toFile(), data(home).toFile(), SNAPSHOTS_KEPT);
        }
    }

    /** At each start ZooKeeper leaves its configuration behind; it has been read by now. */
    private static void deleteLeakedFiles(Path home) throws IOException {
        try (DirectoryStream<Path> leaked = Files.newDirectoryStream(home, LEAKED_FILES)) {
            for (Path file : leaked) {
                Files.delete(file);
            }
        }
    }
}
