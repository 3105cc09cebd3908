package io.ostraka.history.row;

/**
 * One fact of the history. The spool stores rows in the order in which they were reported. The tables do not contain
 * {@link Measurement}, which only adds to a roll-up. Immutable.
 */
public sealed interface Row permits ClaimReport, TriggeredRun, Skipped, HistoryEvent, AuditEntry, Measurement {}
