package io.ostraka.api.metrics;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Is told what happens in this instance, to count and to measure it.
 *
 * <p>Methods are called on the threads that things happen on, several at once, and must neither block nor call back into the
 * registry. What they throw is logged, once, and hinders nothing. Each event is told by the instance that brought it about,
 * once; so figures of several instances add up. What a transaction has decided is told when it is known to hold; if its reply
 * was lost, and the item has moved on before it could be read, it is not told by anyone.
 */
public interface Meters {
    /**
     * The instance begins.
     *
     * @param load tells how much is under way in it; quick, and may be asked at any time from any thread
     */
    default void began(Supplier<Load> load) {}

    /**
     * Users' code begins to run an item, for the first time in this claim.
     *
     * @param waited since this instance found the item due: for a place, for the claim's reply and for a thread
     * @param delay since the scheduled instant, the item's jitter counted in; empty for triggered fires, and for those that are run again after a failover
     */
    default void started(String job, Duration waited, Optional<Duration> delay) {}

    /** Users' code failed and is tried again, after its pause. */
    default void retried(String job) {}

    /**
     * A run has ended, all tries included.
     *
     * @param outcome what its code came to; {@code INTERRUPTED} if it was given up
     * @param ran how long code ran, without pauses between tries
     */
    default void ended(String job, ItemOutcome outcome, Duration ran) {}

    /** The run that has ended, or goes on, counts for nothing: its item is another's, and its token is refused. */
    default void fenced(String job) {}

    /** A fire was claimed that was too old to be on time: it is run late, as its misfire policy says. */
    default void misfired(String job) {}

    /**
     * An item that is due found no place among those that this instance runs at once, and waits for one; told once for each
     * of its fires.
     */
    default void placeless(String job) {}

    /**
     * Fires of an item were left out.
     *
     * @param fires how many, from 1
     */
    default void skipped(String job, SkipReason reason, long fires) {}

    /** A fire was claimed that another run of it had begun. */
    default void failedOver(String job, FailoverReason reason) {}
}
