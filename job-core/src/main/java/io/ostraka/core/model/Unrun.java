package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;

/**
 * Fires that were decided without being run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count how many; from {@link FireTimes#COUNT_LIMIT} on it may mean that many or more
 * @param reason why
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {}
