package io.ostraka.history.row;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run or skipped fires of a job whose level keeps no row for them. They count only in the roll-up.
 *
 * @param job name of the job
 * @param at time of the end or of the decision
 * @param kind name of an {@link io.ostraka.api.ItemOutcome} or of a {@link io.ostraka.api.SkipReason}, or {@link
 *     ItemRun#LOST}
 * @param count number of runs or fires, from 1
 * @param ran total run time of the code; null if there was none or if it is unknown
 */
public record Measurement(String job, Instant at, String kind, long count, @Nullable Duration ran) implements Row {}
