package io.ostraka.api.metrics;

import java.time.Duration;

/**
 * Durations that were measured in the present minute and the four minutes before it. Percentiles have an error of at
 * most one sixteenth or 63 µs, whichever is larger; count and maximum are exact.
 *
 * @param count number of durations
 * @param max longest duration; zero if there are none, like the percentiles
 * @param p95 95th percentile
 * @param p99 99th percentile
 */
public record Distribution(long count, Duration max, Duration p95, Duration p99) {}
