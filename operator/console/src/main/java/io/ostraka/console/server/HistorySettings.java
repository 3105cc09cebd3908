package io.ostraka.console.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.ostraka.api.Secret;
import io.ostraka.history.History;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The database of the history.
 *
 * @param url JDBC URL, which may contain a password
 * @param user name of the database's user; null if the URL contains it
 * @param password password of the user; null if the URL contains it
 * @param spool directory for rows that wait for the database
 * @param tablePrefix beginning of the names of the tables
 * @param schema treatment of the tables at the start
 */
record HistorySettings(
        String url,
        @Nullable String user,
        @Nullable Secret password,
        Path spool,
        String tablePrefix,
        SchemaMode schema) {
    private static final int CONNECTIONS = 4;
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(30);
    /** Time in which a stopping console delivers its waiting rows. The next start delivers the rest. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private static final List<Key> KEYS = List.of(
            Key.HISTORY_USER, Key.HISTORY_PASSWORD, Key.HISTORY_SPOOL, Key.HISTORY_TABLE_PREFIX, Key.HISTORY_SCHEMA);

    /** Reads the settings, and adds any mistakes to {@code values}; empty if there is no history. */
    static Optional<HistorySettings> read(SettingValues values) {
        if (!values.has(Key.HISTORY_URL)) {
            KEYS.stream()
                    .filter(values::has)
                    .forEach(key -> values.mistake(key.text() + " is set, but " + Key.HISTORY_URL.text()
                            + " is not; set the URL of the database, or remove the key"));
            return Optional.empty();
        }
        Optional<String> url = values.parsed(Key.HISTORY_URL, HistorySettings::requireDriver);
        Optional<Path> spool = values.parsed(Key.HISTORY_SPOOL, SettingValues::path);
        if (spool.isEmpty()) {
            values.missing(
                    Key.HISTORY_SPOOL.text(),
                    "the audit waits there while the database is away; accepted: " + Key.HISTORY_SPOOL.accepted());
        }
        Optional<SchemaMode> schema = values.parsed(Key.HISTORY_SCHEMA, text -> {
            if (!text.equals(text.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException();
            }
            return SchemaMode.valueOf(text.toUpperCase(Locale.ROOT));
        });
        Optional<String> prefix = values.parsed(Key.HISTORY_TABLE_PREFIX, text -> new TablePrefix(text).text());
        spool.ifPresent(directory -> requireWritable(directory, values));
        if (url.isEmpty() || spool.isEmpty() || schema.isEmpty() || prefix.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new HistorySettings(
                url.get(),
                values.text(Key.HISTORY_USER).orElse(null),
                values.secret(Key.HISTORY_PASSWORD),
                spool.get(),
                prefix.get(),
                schema.get()));
    }

    private static String requireDriver(String url) {
        try {
            DriverManager.getDriver(url);
            return url;
        } catch (SQLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static void requireWritable(Path directory, SettingValues values) {
        Path existing = directory;
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (existing == null || !Files.isDirectory(existing) || !Files.isWritable(existing)) {
            values.mistake(
                    Key.HISTORY_SPOOL.text() + " is '" + directory + "'; accepted: " + Key.HISTORY_SPOOL.accepted());
        }
    }

    /** Opens a pool of connections. The database need not be reachable. */
    HikariDataSource open() {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("ostraka-history");
        pool.setJdbcUrl(url);
        if (user != null) {
            pool.setUsername(user);
        }
        if (password != null) {
            pool.setPassword(new String(password.read()));
        }
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setMinimumIdle(0);
        pool.setInitializationFailTimeout(-1);
        pool.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        if (!url.contains("socketTimeout")) { // otherwise a silent database holds a thread for hours
            if (url.startsWith("jdbc:postgresql:")) {
                pool.addDataSourceProperty("socketTimeout", String.valueOf(SOCKET_TIMEOUT.toSeconds()));
            } else if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
                pool.addDataSourceProperty("socketTimeout", String.valueOf(SOCKET_TIMEOUT.toMillis()));
            }
        }
        return new HikariDataSource(pool);
    }

    /** Builds the history of a namespace. */
    History build(DataSource database) {
        return History.newBuilder(database, spool)
                .schema(schema)
                .tablePrefix(tablePrefix)
                .closeTimeout(CLOSE_TIMEOUT)
                .build();
    }

    /** Returns the settings without the URL, which may contain a password. */
    @Override
    public String toString() {
        return "history with spool " + spool;
    }
}
