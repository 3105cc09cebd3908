package io.ostraka.history.jdbc;

import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.SpooledRow;
import java.util.List;

/**
 * Rows that follow each other in a spool.
 *
 * @param source name of the spool, at most 255 ASCII characters
 * @param from position up to which the database has the rows of the spool. The batch is refused if the database has
 *     stored another position; if it has stored none, every position is accepted
 * @param to position after the rows, later than {@code from}
 * @param rows the rows; may be empty, to skip a part of the spool that is unreadable
 */
public record Batch(String source, Position from, Position to, List<SpooledRow> rows) {
    /**
     * Copies the rows.
     *
     * @throws IllegalArgumentException if {@code to} is not later than {@code from}
     */
    public Batch {
        rows = List.copyOf(rows);
        if (to.compareTo(from) <= 0) {
            throw new IllegalArgumentException("the batch begins at " + from + " and ends at " + to);
        }
    }
}
