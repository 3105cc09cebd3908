package io.ostraka.playground;

import io.ostraka.console.server.Console;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A running playground: a ZooKeeper server, a database, a console, and workers that host jobs. */
final class Playground {
    static final String NAMESPACE = "playground";

    private static final int PORT = 8077;
    private static final int TRIED_PORTS = 20;

    private final Path directory;
    private final Console console;
    private final StringBuilder password = new StringBuilder();

    /**
     * Starts a playground, and returns when the workers have registered their jobs.
     *
     * @param stage receives all resources, and closes them at the end
     * @param users settings of the console's users, as lines; empty for a password that is valid for one login
     * @param printer receives sentences for the user
     * @throws IllegalStateException if a part does not start, or the stage is closed
     */
    Playground(Stage stage, Options options, List<String> users, Consumer<String> printer) throws IOException {
        Guard guard = stage.keep(Guard.start());
        directory = guard.directory();
        // must be set before the first log line
        System.setProperty(
                "org.slf4j.simpleLogger.logFile",
                directory.resolve("playground.log").toString());
        EmbeddedZooKeeper zooKeeper = stage.keep(EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0));
        HistoryDatabase database = stage.keep(database());
        boolean isNight = options.set() == JobSet.NIGHT;
        Map<String, String> wrongClock = isNight ? WrongClock.environment() : Map.of();
        if (isNight && wrongClock.isEmpty()) {
            printer.accept("The tool faketime is not installed, so no worker has a wrong clock.");
        }
        Workers workers = new Workers(
                List.of(
                        zooKeeper.connectString(),
                        database.url(),
                        directory.resolve("spool").toString(),
                        options.set().name()),
                database.password(),
                wrongClock,
                guard);
        console = stage.keep(Console.start(
                settings(options.port().orElseGet(() -> freePort(printer)), zooKeeper.connectString(), database, users),
                Map.of("OSTRAKA_CONSOLE_HISTORY_PASSWORD", database.password()),
                new WorkerRoutes(workers),
                password::append));
        Operator operator = new Operator(console.operations(NAMESPACE, Operator.CALLER));
        if (isNight) {
            operator.prepareNight(zooKeeper.connectString());
        }
        stage.keep(workers).startAll();
        if (isNight) {
            operator.forgetPause();
        } else if (options.set() == JobSet.SHOP) {
            operator.actInShop();
        }
    }

    private HistoryDatabase database() throws IOException {
        try {
            return HistoryDatabase.start(directory);
        } catch (SQLException e) {
            throw new IOException("the database does not start: " + e.getMessage(), e);
        }
    }

    private Path settings(int port, String servers, HistoryDatabase database, List<String> users) throws IOException {
        List<String> lines = List.of(
                "listen.port=" + port,
                "zookeeper.servers=" + servers,
                "namespaces=" + NAMESPACE,
                "sessions.idle=PT12H", // the password is valid for only one login
                "history.url=" + database.url(),
                "history.user=" + HistoryDatabase.USER,
                "history.spool=" + directory.resolve("console-spool"),
                "history.schema=create");
        return Files.write(
                directory.resolve("console.properties"),
                Stream.concat(lines.stream(), users.stream()).toList());
    }

    /** Returns the standard port, or the next one that is free. */
    private static int freePort(Consumer<String> printer) {
        int port = IntStream.range(PORT, PORT + TRIED_PORTS)
                .filter(Playground::isFree)
                .findFirst()
                .orElse(0);
        if (port != PORT) {
            printer.accept("Port " + PORT + " is in use, so the console has another one.");
        }
        return port;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the link that logs in once. A browser does not send the part after the hash sign to a server. */
    URI login() {
        return console.uri().resolve("/#/login?password=" + password);
    }

    /** Returns the directory of the logs. */
    Path logs() {
        return directory;
    }
}
