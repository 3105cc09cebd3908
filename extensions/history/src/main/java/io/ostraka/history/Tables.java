package io.ostraka.history;

import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The tables of the history. The first use creates or checks them. Thread-safe. */
final class Tables {
    private final DataSource source;
    private final TablePrefix prefix;
    private final SchemaMode mode;
    /** The attempt that has succeeded or is under way; null if there is none. */
    private final AtomicReference<@Nullable CompletableFuture<HistoryDatabase>> attempt = new AtomicReference<>();

    Tables(DataSource source, TablePrefix prefix, SchemaMode mode) {
        this.source = source;
        this.prefix = prefix;
        this.mode = mode;
    }

    /**
     * Returns the database with its tables. Callers during an attempt share its outcome, so a database that does not
     * answer delays each of them by one attempt only.
     *
     * @throws SQLException if the database does not answer
     * @throws io.ostraka.history.jdbc.HistorySchemaException if the history does not support the database, or cannot
     *     use its tables
     */
    HistoryDatabase prepared() throws SQLException {
        CompletableFuture<HistoryDatabase> own = new CompletableFuture<>();
        CompletableFuture<HistoryDatabase> other = attempt.compareAndExchange(null, own);
        if (other != null) {
            return outcome(other);
        }
        try {
            HistoryDatabase database = HistoryDatabase.connect(source, prefix);
            database.prepare(mode);
            own.complete(database);
            return database;
        } catch (Throwable e) { // the driver may throw anything
            attempt.set(null); // the next caller tries again
            own.completeExceptionally(e);
            throw e;
        }
    }

    private static HistoryDatabase outcome(CompletableFuture<HistoryDatabase> attempt) throws SQLException {
        try {
            return attempt.join();
        } catch (CompletionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw new SQLException(String.valueOf(cause.getMessage()), cause);
        }
    }
}
