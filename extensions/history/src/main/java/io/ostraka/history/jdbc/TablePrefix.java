package io.ostraka.history.jdbc;

import java.util.regex.Pattern;

/**
 * Beginning of the names of all tables of the history, with or without a schema: {@code ostraka_} or
 * {@code operations.ostraka_}. Statements do not quote the names, so the database converts their case as usual.
 *
 * @param text the schema and a dot, if any, and the beginning of the names
 */
public record TablePrefix(String text) {
    private static final Pattern ACCEPTED =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,29}");

    /** The default prefix. */
    public static final TablePrefix DEFAULT = new TablePrefix("ostraka_");

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is not a prefix
     */
    public TablePrefix {
        if (!ACCEPTED.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no prefix of the history's tables; accepted: prefix or"
                            + " schema.prefix, of letters, digits and underscores, not beginning with a digit; a prefix has up"
                            + " to 30 and a schema up to 63 of them");
        }
    }

    /** Returns the qualified name of a table. */
    String of(Table table) {
        return of(table.name());
    }

    /** Returns the qualified name of a table. */
    String of(String table) {
        return text + table;
    }

    /** Returns the prefix without the schema, as in names of indexes. */
    String withoutSchema() {
        return text.substring(text.indexOf('.') + 1);
    }
}
