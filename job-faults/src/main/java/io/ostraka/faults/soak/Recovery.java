package io.ostraka.faults.soak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An item that was interrupted and went on, or service that was away and came back. Times are in milliseconds.
 *
 * @param of item and fire, or what came back
 * @param cause what had happened, such as a fault
 * @param millis how long it took from then
 * @param afterExpiryMillis how long of that after the servers had ended the owner's session; null without one
 * @param undisturbed whether nothing else befell meanwhile
 * @param trail what happened, in order; only of the slowest
 */
public record Recovery(
        String of,
        String cause,
        long millis,
        @Nullable Long afterExpiryMillis,
        boolean undisturbed,
        List<String> trail) {
    /** Copies. */
    public Recovery {
        trail = List.copyOf(trail);
    }

    /** Returns the same with what happened. */
    Recovery with(List<String> happened) {
        return new Recovery(of, cause, millis, afterExpiryMillis, undisturbed, happened);
    }
}
