package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;

/**
 * One or more successive fires that became due but were skipped.
 *
 * @param from first skipped fire
 * @param to last skipped fire
 * @param count number of skipped fires; {@link FireTimes#COUNT_LIMIT} or more if they were not counted to the end
 * @param reason reason for the skip
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {}
