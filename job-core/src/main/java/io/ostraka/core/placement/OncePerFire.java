package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobRouter.Route;
import io.ostraka.api.JobShardingStrategy.Request;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Makes one choice for each fire: a repeated request for a fire gets the same result. The state is the fire of the
 * last choice and, after a blank, the memory of the choice.
 *
 * @param changed true if there is a later fire than at the last choice
 * @param mark first part of the new state
 * @param memory memory of the choice; empty for none
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
        // without a former fire, or with one in the future, the number of fires in between is unknown
        return new OncePerFire(before >= 0 && now > before, Long.toString(now), memory);
    }

    /** Parses a fire. A state with manual changes is ignored. */
    private static long fire(String text) {
        try {
            return text.equals(NONE) ? NEVER : Math.max(UNKNOWN, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return UNKNOWN;
        }
    }

    /** Returns the next instance by id; the first instance differs between jobs. */
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
