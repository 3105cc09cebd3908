package io.ostraka.playground;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.h2.tools.Server;

/** The database of the history: H2 in server mode, on the loopback interface only. */
final class HistoryDatabase implements AutoCloseable {
    static final String USER = "playground";

    private final Server server;
    private final String path;
    private final String password;
    /** Connection that keeps the database open. */
    private final Connection keeper;

    private HistoryDatabase(Server server, String path, String password, Connection keeper) {
        this.server = server;
        this.path = path;
        this.password = password;
        this.keeper = keeper;
    }

    /**
     * Starts the server with an empty database.
     *
     * @param directory directory of the database's files
     */
    static HistoryDatabase start(Path directory) throws SQLException {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        String path = directory.resolve("history").toAbsolutePath().toString();
        String password = UUID.randomUUID().toString();
        Connection keeper = DriverManager.getConnection("jdbc:h2:" + path + ";DB_CLOSE_ON_EXIT=FALSE", USER, password);
        return new HistoryDatabase(Server.createTcpServer("-tcpPort", "0").start(), path, password, keeper);
    }

    /** Returns the URL at which all processes reach the database. */
    String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + path + ";LOCK_TIMEOUT=10000";
    }

    String password() {
        return password;
    }

    /** Stops the database without a clean shutdown, because its files are deleted anyway. */
    @Override
    public void close() throws SQLException {
        server.stop();
        try (Connection last = keeper;
                var statement = last.createStatement()) {
            statement.execute("SHUTDOWN IMMEDIATELY");
        }
    }
}
