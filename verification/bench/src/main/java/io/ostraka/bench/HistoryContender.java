package io.ostraka.bench;

import io.ostraka.history.History;
import io.ostraka.lite.RegistryBuilder;
import java.nio.file.Path;
import javax.sql.DataSource;

/**
 * This library with a history at the default level. A job that fires back to back then has rows only for its failures.
 */
public final class HistoryContender extends OstrakaContender {
    /** System property with the URL of the database. */
    static final String DATABASE = "ostraka.bench.database";
    /** System property with the directory of the spool. */
    static final String SPOOL = "ostraka.bench.spool";

    private final History history;

    /** Creates the history of the process. */
    public HistoryContender() {
        DataSource source = HistoryDatabase.source(System.getProperty(DATABASE));
        history = History.newBuilder(source, Path.of(System.getProperty(SPOOL))).build();
    }

    @Override
    RegistryBuilder registry(Load load) {
        return super.registry(load).eventSubscriber(history);
    }

    @Override
    public void close() {
        super.close();
        history.close();
    }
}
