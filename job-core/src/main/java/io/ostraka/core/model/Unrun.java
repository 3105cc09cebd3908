package io.ostraka.core.model;

import java.time.Instant;

/**
 * Fires that were decided without being run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count how many; {@link FireTimes#COUNT_LIMIT} may mean that many or more
 * @param reason why
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {}
