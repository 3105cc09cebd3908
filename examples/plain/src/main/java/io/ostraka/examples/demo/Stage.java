package io.ostraka.examples.demo;

import io.ostraka.examples.TemporaryDirectory;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * The processes and resources of the demo. Closing it ends all of them, after the story or when the user aborts.
 * Thread-safe.
 */
final class Stage implements AutoCloseable {
    private static final int REFRESH_MILLIS = 200;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Path directory;
    private final OrderDatabase database;
    private final Sessions sessions;
    private final Workers workers;
    private final Board board;
    private final Screen screen;
    private volatile boolean abandoned;

    private Stage(Screen.Mode mode, boolean fenced) throws IOException, SQLException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::abandon, "end-of-the-demo"));
        directory = keep(TemporaryDirectory.create()).path();
        // must be set before the first log line, because logs must not go to the screen
        System.setProperty(
                "org.slf4j.simpleLogger.logFile", directory.resolve("demo.log").toString());
        screen = keep(new Screen(mode, System.out));
        EmbeddedZooKeeper zooKeeper = keep(EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0));
        database = keep(OrderDatabase.start());
        sessions = keep(new Sessions(zooKeeper.connectString()));
        screen.phase("ZooKeeper and the database serve");
        board = new Board(screen::event);
        workers = keep(new Workers(
                List.of(zooKeeper.connectString(), database.url(), Boolean.toString(fenced)),
                database.password(),
                directory,
                board));
        var painter = Executors.newSingleThreadScheduledExecutor();
        keep(painter::shutdownNow);
        var painting = painter.scheduleWithFixedDelay(this::paint, 0, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
        keep(() -> painting.cancel(false));
    }

    /** Starts ZooKeeper and the database, and ensures that they end with this process. */
    static Stage set(Screen.Mode mode, boolean fenced) throws IOException, SQLException {
        return new Stage(mode, fenced);
    }

    private synchronized <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    private void abandon() {
        abandoned = true;
        close();
    }

    /** Returns whether the user has aborted the demo. All later failures are then consequences of the abort. */
    boolean abandoned() {
        return abandoned;
    }

    private void paint() {
        try {
            screen.show(database.progress(), board, workers.all());
        } catch (SQLException e) {
            // the story reports the same failure
        }
    }

    OrderDatabase database() {
        return database;
    }

    Sessions sessions() {
        return sessions;
    }

    Workers workers() {
        return workers;
    }

    Board board() {
        return board;
    }

    Screen screen() {
        return screen;
    }

    /** Returns the last lines of every log. */
    String logs(int linesEach) throws IOException {
        var text = new StringBuilder();
        try (var files = Files.newDirectoryStream(directory, "*.log")) {
            for (Path file : files) {
                List<String> lines = Files.readAllLines(file);
                if (!lines.isEmpty()) {
                    text.append("-- the end of ").append(file.getFileName()).append('\n');
                    lines.subList(Math.max(0, lines.size() - linesEach), lines.size())
                            .forEach(line -> text.append(line).append('\n'));
                }
            }
        }
        return text.toString();
    }

    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) { // the other resources must be closed even if this fails
                LoggerFactory.getLogger(Stage.class).warn("not all resources of the demo could be closed", e);
            }
        }
    }
}
