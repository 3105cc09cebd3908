package io.ostraka.history.jdbc;

import io.ostraka.api.OstrakaException;

/** The database, or the version of its tables, is not one that the history can use. A retry does not help. */
public final class HistorySchemaException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    HistorySchemaException(String message) {
        super(message, null);
    }
}
