package io.ostraka.history.jdbc;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Set;

/** Kinds of errors that a database reports. */
enum Failures {
    /** Two transactions were in conflict. The same transaction can succeed at once. */
    CONFLICT,
    /** The database refuses a value. A retry does not help. */
    DATA,
    /** Another error, such as a lost connection or a full disk. A later retry may succeed. */
    OTHER;

    private static final Set<String> DUPLICATE_STATES = Set.of("23505");
    private static final int MYSQL_DUPLICATE = 1062;
    private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
    private static final int MYSQL_INCORRECT_VALUE = 1366;
    private static final int H2_CONCURRENT_UPDATE = 90131;

    /** Returns the kind of an error. */
    static Failures of(SQLException error) {
        Failures kind = kind(error);
        // the error of a JDBC batch can hide the error of the statement that failed
        if (kind == OTHER && error instanceof BatchUpdateException && error.getNextException() != null) {
            return of(error.getNextException());
        }
        return kind;
    }

    private static Failures kind(SQLException error) {
        String state = error.getSQLState() == null ? "" : error.getSQLState();
        int code = error.getErrorCode();
        if (state.startsWith("40") || duplicate(error) || code == H2_CONCURRENT_UPDATE) {
            return CONFLICT;
        }
        if (code == MYSQL_LOCK_WAIT_TIMEOUT) {
            return OTHER;
        }
        return state.startsWith("22") || state.startsWith("23") || code == MYSQL_INCORRECT_VALUE ? DATA : OTHER;
    }

    /** Returns whether a row with the same key exists; a concurrent transaction has inserted it. */
    private static boolean duplicate(SQLException error) {
        String state = error.getSQLState() == null ? "" : error.getSQLState();
        return DUPLICATE_STATES.contains(state) || (state.equals("23000") && error.getErrorCode() == MYSQL_DUPLICATE);
    }
}
