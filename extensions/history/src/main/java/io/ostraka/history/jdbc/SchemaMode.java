package io.ostraka.history.jdbc;

/** Treatment of the tables when the history starts. */
public enum SchemaMode {
    /** Creates or migrates the tables. The default. */
    CREATE,
    /** Changes nothing, and fails if tables, columns or migrations are missing. */
    VALIDATE,
    /** Neither changes nor checks the tables. */
    NONE
}
