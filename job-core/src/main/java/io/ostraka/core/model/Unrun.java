package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;

/**
 * A range of fires that were skipped: they became due but did not run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count number of the fires; {@link FireTimes#COUNT_LIMIT} or more is a lower bound
 * @param reason reason why they were skipped
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {}
