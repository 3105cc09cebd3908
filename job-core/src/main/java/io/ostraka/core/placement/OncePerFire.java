package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobRouter.Route;
import io.ostraka.api.JobShardingStrategy.Request;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Chooses anew once for each fire: the same fire twice gets the same answer. The state is the fire that was chosen after and,
 * behind a blank, what the choice itself remembers.
 *
 * @param changed whether there is a later fire than at the last choice
 * @param mark what the state begins with
 * @param memory what the choice remembers; empty text for nothing
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
        // without a fire before, or with one of the future, nobody knows how many there were in between
        return new OncePerFire(before >= 0 && now > before, Long.toString(now), memory);
    }

    /** What hands have written counts as nothing. */
    private static long fire(String text) {
        try {
            return text.equals(NONE) ? NEVER : Math.max(UNKNOWN, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return UNKNOWN;
        }
    }

    /** The one after the last, by id; it begins with another for each job. */
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
