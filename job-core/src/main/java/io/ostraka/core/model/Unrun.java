package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import java.util.Optional;

/**
 * Fires that were decided without being run.
 *
 * @param from the first of them
 * @param to the last of them
 * @param count how many; from {@link FireTimes#COUNT_LIMIT} on it may mean that many or more
 * @param reason why
 */
public record Unrun(Instant from, Instant to, long count, SkipReason reason) {
    /** Returns the fires in {@code (after, upTo]}; empty when there are none. */
    public static Optional<Unrun> between(FireTimes times, Instant after, Instant upTo, SkipReason reason) {
        return times.latest(after, upTo, 1).stream()
                .findFirst()
                .map(last -> new Unrun(times.next(after).orElse(last), last, times.count(after, upTo), reason));
    }
}
