package io.ostraka.history.row;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Runs or skipped fires of a job that keeps no rows for them because of its level. They only count in the roll-up.
 *
 * @param job name of the job
 * @param at time of the first end or decision; the others were in the same hour
 * @param kind name of an {@link io.ostraka.api.ItemOutcome} or of a {@link io.ostraka.api.SkipReason}, or {@link
 *     ClaimReport#LOST}
 * @param count number of runs or fires, from 1
 * @param ran total run time of the code; all runs took the same time. Null if there was no run, or if the time is
 *     unknown
 */
public record Measurement(String job, Instant at, String kind, long count, @Nullable Duration ran) implements Row {}
