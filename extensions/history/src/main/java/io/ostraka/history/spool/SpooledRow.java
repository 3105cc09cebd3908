package io.ostraka.history.spool;

import io.ostraka.history.row.Row;

/**
 * A row in a spool.
 *
 * @param at position of the row, unique within its spool
 * @param row the row
 */
public record SpooledRow(Position at, Row row) {}
