package io.ostraka.history.jdbc;

/** Treatment of the tables when the history starts. */
public enum SchemaMode {
    /** Creates the tables. The default. */
    CREATE,
    /** Changes nothing, and fails if tables, columns or the record of their version are missing. */
    VALIDATE,
    /** Neither changes nor checks the tables. */
    NONE
}
