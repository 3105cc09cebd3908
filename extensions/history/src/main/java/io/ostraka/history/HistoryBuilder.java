package io.ostraka.history;

import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;

/** Builds a {@link History}. Not thread-safe. */
public final class HistoryBuilder {
    private static final long SMALLEST_SPOOL = 1 << 20;

    final DataSource database;
    final Path spool;
    SchemaMode schema = SchemaMode.CREATE;
    TablePrefix tablePrefix = TablePrefix.DEFAULT;
    long spoolLimit = 256L << 20;
    Redactor redactor = (job, kind, name, text) -> text;
    Retention retention = Retention.DEFAULT;
    Duration closeTimeout = Duration.ofSeconds(5);
    Time time = Time.SYSTEM;

    HistoryBuilder(DataSource database, Path spool) {
        this.database = Objects.requireNonNull(database, "database");
        this.spool = Objects.requireNonNull(spool, "spool");
    }

    /** Sets how the history treats its tables at the start; by default it creates them. */
    public HistoryBuilder schema(SchemaMode mode) {
        schema = Objects.requireNonNull(mode, "mode");
        return this;
    }

    /**
     * Sets the beginning of the tables' names, with or without a schema; {@code ostraka_} by default.
     *
     * @param prefix such as {@code ostraka_} or {@code jobs.ostraka_}
     * @throws IllegalArgumentException if the text is not accepted
     */
    public HistoryBuilder tablePrefix(String prefix) {
        tablePrefix = new TablePrefix(prefix);
        return this;
    }

    /**
     * Sets the largest size of the spools on disk; 256 MiB by default. If the database does not answer for so long that
     * the spools reach this size, the oldest rows are dropped.
     *
     * @param bytes at least one MiB
     * @throws IllegalArgumentException if the size is smaller
     */
    public HistoryBuilder spoolLimit(long bytes) {
        if (bytes < SMALLEST_SPOOL) {
            throw new IllegalArgumentException(
                    "spoolLimit is " + bytes + " bytes; accepted: " + SMALLEST_SPOOL + " or more");
        }
        spoolLimit = bytes;
        return this;
    }

    /** Sets the redactor, which removes secret or personal data from texts; by default texts are stored as they are. */
    public HistoryBuilder redactor(Redactor own) {
        redactor = Objects.requireNonNull(own, "own");
        return this;
    }

    /** Sets how long rows are kept; {@link Retention#DEFAULT} by default. */
    public HistoryBuilder retention(Retention own) {
        retention = Objects.requireNonNull(own, "own");
        return this;
    }

    /**
     * Sets how long {@link History#close} waits until the database has all rows; five seconds by default. Rows that
     * remain are delivered by the next process on this host.
     *
     * @throws IllegalArgumentException if the time is negative
     */
    public HistoryBuilder closeTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("closeTimeout is " + timeout + "; accepted: zero or more");
        }
        closeTimeout = timeout;
        return this;
    }

    /**
     * Creates the history. Pass it to the builder of a registry as an event subscriber; its work begins when that
     * registry connects. The database need not be reachable at either time.
     *
     * @throws IllegalArgumentException if the directory of the spools cannot be created or written
     */
    public History build() {
        try {
            Files.createDirectories(spool);
            Path probe = Files.createTempFile(spool, "probe", "");
            Files.delete(probe);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the directory of the spools is '" + spool
                            + "'; accepted: a directory that this process can write: " + e,
                    e);
        }
        return new History(this);
    }
}
