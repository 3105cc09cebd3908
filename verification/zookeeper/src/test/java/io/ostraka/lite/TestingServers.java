package io.ostraka.lite;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;

/** Starts Curator's test servers, with ticks that are short enough for sessions of a second. */
public final class TestingServers {
    private static final int TICK_MILLIS = 500;
    private static final int ANY_PORT = -1;
    private static final int MOST_CONNECTIONS = 200;
    private static final Map<String, Object> SETTINGS = Map.of(
            "maxSessionTimeout", "60000",
            "admin.enableServer", "false",
            "4lw.commands.whitelist", "srvr",
            // the default reserves 64 MiB for each log file
            "preAllocSize", "4096");

    private TestingServers() {}

    /** Starts a server that keeps its data in a directory, on a free port. */
    public static TestingServer start(Path directory) {
        return start(directory, ANY_PORT);
    }

    /** Starts a server that keeps its data in a directory. */
    public static TestingServer start(Path directory, int port) {
        try {
            return new TestingServer(spec(directory, port, 1), true);
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not start in " + directory, e);
        }
    }

    /** Starts an ensemble whose servers all run in this process, and waits until they serve requests. */
    public static TestingCluster cluster(Path directory, int servers) throws Exception {
        TestingCluster cluster = new TestingCluster(IntStream.rangeClosed(1, servers)
                .mapToObj(id -> spec(directory.resolve("server-" + id), ANY_PORT, id))
                .toArray(InstanceSpec[]::new));
        cluster.start();
        return cluster;
    }

    /** Closes a server or an ensemble. */
    public static void close(Closeable servers) {
        try {
            servers.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InstanceSpec spec(Path directory, int port, int id) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new InstanceSpec(
                directory.toFile(), port, -1, -1, false, id, TICK_MILLIS, MOST_CONNECTIONS, SETTINGS, "127.0.0.1");
    }
}
