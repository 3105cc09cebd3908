package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;

/**
 * Fires that were decided without a run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count number of the fires; from {@link FireTimes#COUNT_LIMIT} on it means that many or more
 * @param reason reason of the decision
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {}
