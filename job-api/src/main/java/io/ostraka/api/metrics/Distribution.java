package io.ostraka.api.metrics;

import java.time.Duration;

/**
 * Distribution of the durations that were measured in the current minute and in the four minutes before it. The count
 * and the maximum are exact. Percentiles have an error of at most one sixteenth of the value or 63 µs, whichever is
 * larger. If no duration was measured, all values are zero.
 *
 * @param count number of durations
 * @param max longest duration
 * @param p95 95th percentile
 * @param p99 99th percentile
 */
public record Distribution(long count, Duration max, Duration p95, Duration p99) {}
