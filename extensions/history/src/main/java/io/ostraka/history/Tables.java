package io.ostraka.history;

import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The tables of the history. The first use creates or checks them. Thread-safe. */
final class Tables {
    private final DataSource source;
    private final TablePrefix prefix;
    private final SchemaMode mode;
    private @Nullable HistoryDatabase prepared;

    Tables(DataSource source, TablePrefix prefix, SchemaMode mode) {
        this.source = source;
        this.prefix = prefix;
        this.mode = mode;
    }

    /**
     * Returns the database with its tables.
     *
     * @throws SQLException if the database does not answer
     * @throws io.ostraka.history.jdbc.HistorySchemaException if the history does not support the database, or cannot
     *     use its tables
     */
    synchronized HistoryDatabase prepared() throws SQLException {
        HistoryDatabase known = prepared;
        if (known == null) {
            known = HistoryDatabase.connect(source, prefix);
            known.prepare(mode);
            prepared = known;
        }
        return known;
    }
}
