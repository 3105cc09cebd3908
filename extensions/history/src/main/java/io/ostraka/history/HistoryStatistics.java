package io.ostraka.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Statistics about the history of one process.
 *
 * @param delivered number of rows that were written to the database since the start
 * @param waitingBytes number of bytes in the spools of this process that the database does not have yet
 * @param lost number of rows that are lost: dropped because the spools had reached their limit, not stored because the
 *     disk was full or too slow for the events, or in files of the spools that were damaged or deleted. A file of
 *     another process whose number of rows is not known counts as one row
 * @param rejected number of rows that the database refused or that could not be read; the first 10 MiB of
 *     them are kept in a file beside the spools
 * @param delayedSince time since which rows cannot be delivered, because the database refuses work or the disk fails;
 *     null while they can
 */
public record HistoryStatistics(
        long delivered, long waitingBytes, long lost, long rejected, @Nullable Instant delayedSince) {}
