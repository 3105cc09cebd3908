package io.ostraka.faults.soak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An interrupted item that continued, or an item that ran again after an outage or after the last fault. Times are in
 * milliseconds.
 *
 * @param of item and fire, or only the item, as text
 * @param cause cause, such as a fault
 * @param millis time from the cause to the recovery
 * @param afterExpiryMillis the part of that time that is after the end of the owner's session; null if the servers did
 *     not end the session
 * @param undisturbed true if no other fault delayed the recovery
 * @param trail events in order; empty except for the slowest recoveries
 */
public record Recovery(
        String of,
        String cause,
        long millis,
        @Nullable Long afterExpiryMillis,
        boolean undisturbed,
        List<String> trail) {
    /** Copies the list. */
    public Recovery {
        trail = List.copyOf(trail);
    }

    /** Returns this recovery with its events. */
    Recovery with(List<String> happened) {
        return new Recovery(of, cause, millis, afterExpiryMillis, undisturbed, happened);
    }
}
