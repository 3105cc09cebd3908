package io.ostraka.history.jdbc;

import io.ostraka.api.OstrakaException;

/** Thrown if the history cannot use the database, or the version of its tables. A retry does not help. */
public final class HistorySchemaException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    HistorySchemaException(String message) {
        super(message, null);
    }
}
