package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobRouter.Route;
import io.ostraka.api.JobShardingStrategy.Request;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Helps routers to choose once per fire: a repeated request for the same fire gets the same result. The strategy's
 * state contains the fire of the last choice, a space, and data of the router.
 *
 * @param changed true if the job has had a new fire since the last choice
 * @param mark first part of the new state: the fire
 * @param memory data that the router stored with the last choice; empty if there is none
 */
record OncePerFire(boolean changed, String mark, String memory) {
    private static final String NONE = "-";
    private static final long NEVER = -1;
    private static final long UNKNOWN = -2;
    private static final long LAST = 999_999_999_999_999L;

    static OncePerFire of(Request request) {
        String state = request.state();
        int blank = state.indexOf(' ');
        long before = blank < 0 ? UNKNOWN : fire(state.substring(0, blank));
        String memory = before == UNKNOWN ? "" : state.substring(blank + 1);
        Instant fire = request.fire();
        if (fire == null) {
            return new OncePerFire(false, before < 0 ? NONE : Long.toString(before), memory);
        }
        long now = Math.max(0, Math.min(fire.toEpochMilli(), LAST));
        // if the fire of the last choice is unknown or in the future, no comparison is possible, so the last choice is
        // kept
        return new OncePerFire(before >= 0 && now > before, Long.toString(now), memory);
    }

    /** Parses the fire that a state contains. Returns {@code UNKNOWN} if the state is invalid. */
    private static long fire(String text) {
        try {
            return text.equals(NONE) ? NEVER : Math.max(UNKNOWN, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return UNKNOWN;
        }
    }

    /** For each new fire, chooses the next instance in the order of ids. The first choice differs between jobs. */
    static Route next(Request request) {
        OncePerFire turns = of(request);
        JobInstance owner = JobRouter.owner(request).orElse(null);
        JobInstance chosen = owner == null || turns.changed ? after(request, owner, turns.memory) : owner;
        return new Route(chosen, turns.mark + ' ' + chosen.id());
    }

    private static JobInstance after(Request request, @Nullable JobInstance owner, String memory) {
        String last = owner == null ? memory : owner.id();
        if (last.isEmpty()) {
            return request.instances()
                    .get(new CurrentAssignment(request).turned().get(0));
        }
        return request.instances().stream()
                .filter(instance -> instance.id().compareTo(last) > 0)
                .findFirst()
                .orElse(request.instances().get(0));
    }
}
