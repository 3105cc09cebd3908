package io.ostraka.history.spool;

import io.ostraka.history.row.Row;

/**
 * A row in a spool.
 *
 * @param at place of the row, unique within its spool
 * @param row the row
 */
public record SpooledRow(Position at, Row row) {}
