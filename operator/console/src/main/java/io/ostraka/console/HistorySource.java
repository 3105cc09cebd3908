package io.ostraka.console;

import io.ostraka.history.Accounts;
import io.ostraka.history.jdbc.Queries;
import java.sql.SQLException;

/** Gives access to the history of the namespaces that the API shows. Thread-safe. */
public interface HistorySource {
    /**
     * Returns the queries of a namespace. Called only for names that {@link Namespaces#operations} knows.
     *
     * @throws SQLException if the database does not answer
     * @throws Problem if the history is unavailable for another reason
     */
    Queries queries(String namespace) throws SQLException;

    /**
     * Returns the accounts of a namespace. Called only for names that {@link Namespaces#operations} knows.
     *
     * @throws SQLException if the database does not answer
     * @throws Problem if the history is unavailable for another reason
     */
    Accounts accounts(String namespace) throws SQLException;
}
