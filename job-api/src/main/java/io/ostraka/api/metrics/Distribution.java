package io.ostraka.api.metrics;

import java.time.Duration;

/**
 * Durations of the last minutes: of the present minute and the four before it. Percentiles are off by a sixteenth or 63 µs at
 * most, whichever is more; the rest is exact.
 *
 * @param count how many
 * @param max the longest; zero when there are none, as for the others
 * @param p95 what 95 % of them don't exceed
 * @param p99 what 99 % of them don't exceed
 */
public record Distribution(long count, Duration max, Duration p95, Duration p99) {}
