package io.ostraka.history.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param rows the rows
 * @param next position of the next page; null if this is the last one
 */
public record Page<T>(List<T> rows, @Nullable Cursor next) {
    /** Copies the rows. */
    public Page {
        rows = List.copyOf(rows);
    }
}
