package io.ostraka.zk;

import io.ostraka.api.CoordinationException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Properties;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ZooKeeper server in this process, for development, demonstrations and tests. It is a single server without replicas
 * and accepts connections from this machine only. Its data survives a restart of the process; each start deletes old
 * logs of the server. The server keeps the process alive until it is closed.
 *
 * <p>Starting a server sets system properties of ZooKeeper, which apply to the whole process: they switch off the admin
 * server, and allow only the four-letter commands {@code mntr}, {@code srvr} and {@code ruok}. Thread-safe.
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
    private final LockFile lock;
    private final ZooKeeperServerEmbedded server;
    private final int port;
    private boolean closed;

    private EmbeddedZooKeeper(Path directory, LockFile lock, ZooKeeperServerEmbedded server, int port) {
        this.directory = directory;
        this.lock = lock;
        this.server = server;
        this.port = port;
    }

    /**
     * Starts a server and returns when it accepts connections.
     *
     * @param directory data directory of the server; created if missing, readable by its owner alone. Only one server
     *     can use it at a time
     * @param port port on the loopback address. 0 selects a free port at the first start, and later the port of the
     *     directory's last start, so that clients find a restarted server
     * @throws CoordinationException if the directory is not writable or in use, if the port is in use, or if the server
     *     does not start; the message suggests an action
     * @throws IllegalArgumentException if the port is out of range
     */
    public static EmbeddedZooKeeper start(Path directory, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port is " + port + "; accepted: 0 to 65535");
        }
        Path home = directory.toAbsolutePath().normalize();
        LockFile lock = lock(home);
        try {
            int chosen = choosePort(home, port);
            ZooKeeperServerEmbedded server = startServer(home, chosen);
            log.debug("the embedded ZooKeeper in {} listens at port {}", home, chosen);
            return new EmbeddedZooKeeper(home, lock, server, chosen);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Returns the address for clients: the loopback address and the port. */
    public String connectString() {
        return HOST + ":" + port;
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return port;
    }

    /**
     * Stops the server. The sessions of clients end when they time out, unless the server is started again before then.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            server.close();
        } finally {
            lock.close();
        }
    }

    @Override
    public String toString() {
        return "ZooKeeper at " + connectString() + " in " + directory;
    }

    private static LockFile lock(Path home) {
        try {
            Files.createDirectories(home, ownerOnly(home));
            RegularFile.require(home.resolve(PORT_FILE));
            LockFile lock = LockFile.tryLock(home.resolve(LOCK_FILE));
            if (lock != null) {
                return lock;
            }
        } catch (IOException e) {
            throw new CoordinationException(
                    "cannot write to " + home + ", the data directory of the embedded ZooKeeper: " + e
                            + "; give this user the right to write to it, or choose another directory",
                    e);
        }
        throw new CoordinationException("another embedded ZooKeeper uses " + home
                + "; stop it, connect to it instead, or choose another directory");
    }

    /** Returns the attributes of a directory that only its owner can read; none on a file system without them. */
    private static FileAttribute<?>[] ownerOnly(Path home) {
        return home.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }

    private static int choosePort(Path home, int asked) {
        int wanted = asked == 0 ? lastPort(home) : asked;
        // the server itself would only log that the port is in use, and never start
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as the server does
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), wanted));
            Files.writeString(home.resolve(PORT_FILE), Integer.toString(socket.getLocalPort()));
            return socket.getLocalPort();
        } catch (IOException e) {
            String remedy = asked == 0
                    ? ", the port of its last start; stop the program that listens there, or delete "
                            + home.resolve(PORT_FILE) + " so that another port is chosen"
                    : "; stop the program that listens there, or choose another port";
            throw new CoordinationException(
                    "the embedded ZooKeeper in " + home + " cannot listen at port " + wanted + remedy, e);
        }
    }

    private static int lastPort(Path home) {
        Path file = home.resolve(PORT_FILE);
        try {
            return Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
        } catch (IOException | NumberFormatException e) {
            log.warn("cannot read {}; the embedded ZooKeeper uses a new port", file, e);
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
            Files.createDirectories(data(home), ownerOnly(home)); // the directory around it may be open to all
            server.start(START_LIMIT.toMillis());
            return server;
        } catch (Exception e) { // the exception type that the server declares
            if (server != null) {
                server.close();
            }
            throw new CoordinationException(
                    "the embedded ZooKeeper in " + home + " did not start at port " + port
                            + "; check its log, and if its data is damaged, move the directory away",
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
        // in KiB; the default reserves 64 MiB for each log file
        settings.setProperty("preAllocSize", "4096");
        return settings;
    }

    private static Path data(Path home) {
        return home.resolve("data");
    }

    /**
     * Deletes old logs. ZooKeeper's own timer for this is not used, because it keeps running after the server was
     * stopped.
     */
    private static void purge(Path home) throws IOException {
        if (Files.exists(data(home))) {
            PurgeTxnLog.purge(data(home).toFile(), data(home).toFile(), SNAPSHOTS_KEPT);
        }
    }

    /** Deletes the configuration files that ZooKeeper creates at each start and never deletes. */
    private static void deleteLeakedFiles(Path home) throws IOException {
        try (DirectoryStream<Path> leaked = Files.newDirectoryStream(home, LEAKED_FILES)) {
            for (Path file : leaked) {
                Files.delete(file);
            }
        }
    }
}
