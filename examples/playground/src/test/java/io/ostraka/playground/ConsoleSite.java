package io.ostraka.playground;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.console.PlaygroundRoutes;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.server.Console;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A ZooKeeper and a console in this process, which a test can restart. Its namespace is {@value #NAMESPACE}. */
final class ConsoleSite implements AutoCloseable {
    static final String NAMESPACE = "shop";

    private final Path directory;
    private final EmbeddedZooKeeper zooKeeper;
    private Console console;
    private int port;
    private String password = "";

    /** The routes of a playground without workers. */
    private static final class NoWorkers implements PlaygroundRoutes {
        @Override
        public String namespace() {
            return NAMESPACE;
        }

        @Override
        public Response answer(Request request) {
            JsonObject json = new JsonObject();
            json.add("workers", new JsonArray());
            return Response.json(200, json);
        }
    }

    ConsoleSite(Path directory) throws IOException {
        this.directory = directory;
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
        startConsole();
    }

    /** Starts the console at the address of the one before. It has forgotten all sessions, and has a new password. */
    void startConsole() throws IOException {
        Path settings = Files.write(
                directory.resolve("console.properties"),
                List.of(
                        "listen.port=" + port,
                        "zookeeper.servers=" + zooKeeper.connectString(),
                        "namespaces=" + NAMESPACE));
        StringBuilder printed = new StringBuilder();
        console = Console.start(settings, Map.of(), new NoWorkers(), printed::append);
        port = console.uri().getPort();
        password = printed.toString();
    }

    void stopConsole() {
        console.close();
    }

    /** Returns the part of the link that logs in once, after the address of the console. */
    String loginHash() {
        return "#/login?password=" + password;
    }

    URI link() {
        return console.uri().resolve("/" + loginHash());
    }

    /** Connects an instance, with the name worker-1. */
    ZooKeeperRegistry connect() {
        return ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), NAMESPACE)
                .instanceName("worker-1")
                .connect();
    }

    @Override
    public void close() {
        console.close();
        zooKeeper.close();
    }
}
