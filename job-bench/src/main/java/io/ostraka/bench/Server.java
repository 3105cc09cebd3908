package io.ostraka.bench;

import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ZooKeeper server that all contenders of a run share, and what it says of itself. */
final class Server implements AutoCloseable {
    private static final Pattern RECEIVED = Pattern.compile("zk_packets_received\\s+(\\d+)");

    private final EmbeddedZooKeeper zookeeper;
    private long asked;

    Server(Path directory) {
        zookeeper = EmbeddedZooKeeper.start(directory, 0);
    }

    String servers() {
        return zookeeper.connectString();
    }

    /** How many packets it has received from clients by now, heartbeats among them, but for this question's. */
    long requests() {
        try (Socket socket = new Socket("127.0.0.1", zookeeper.port())) {
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            socket.shutdownOutput();
            Matcher received =
                    RECEIVED.matcher(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            if (!received.find()) {
                throw new IllegalStateException("the server doesn't say how many packets it has received");
            }
            return Long.parseLong(received.group(1)) - ++asked;
        } catch (IOException e) {
            throw new UncheckedIOException("the server says nothing of itself", e);
        }
    }

    @Override
    public void close() {
        zookeeper.close();
    }
}
