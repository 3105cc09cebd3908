package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operator's request to end a fire of a job. A stop does not change item records: the owner of each item ends the
 * item's part of the fire. The stop stays in effect when an item moves to another instance. The leader deletes the stop
 * after the end of the fire.
 *
 * @param job name of the job
 * @param item key of the item to stop; null for all items
 * @param fire name of the fire, see {@link FireProgress#nodeOf}
 * @param request content of the stop's node; null if it is unreadable. The stop is in effect even then
 */
public record FireStop(String job, @Nullable String item, String fire, @Nullable Request request) {
    private static final String SEPARATOR = "~";
    private static final String ALL_ITEMS = "*";

    /**
     * The content of a stop's node.
     *
     * @param actor operator who requested the stop
     * @param reason reason for the stop; empty for none
     * @param at time of the request on the requesting process's clock
     */
    public record Request(String actor, String reason, Instant at) {
        /** Checks that actor and reason can be shown in a log. */
        public Request {
            Names.requirePrintable("actor", actor);
            Names.requirePrintable("reason", reason);
        }
    }

    /** Checks the names, which become the name of a node. */
    public FireStop {
        Names.requireJob(job);
        if (item != null) {
            Names.requireItem(job, item);
        }
        Names.require("a fire's name", fire);
    }

    /**
     * Returns the name of the stop's node. The name identifies the stop: a second stop with this name changes nothing.
     */
    public String name() {
        return job + SEPARATOR + (item == null ? ALL_ITEMS : item) + SEPARATOR + fire;
    }

    /**
     * Returns the stop that a node's name describes, without the node's content; empty if no stop can have this name.
     */
    public static Optional<FireStop> named(String name) {
        String[] parts = name.split(SEPARATOR, -1);
        return parts.length == 3
                        && JobConfiguration.NAME.matcher(parts[0]).matches()
                        && (parts[1].equals(ALL_ITEMS) || Names.accepted(parts[1]))
                        && Names.accepted(parts[2])
                ? Optional.of(new FireStop(parts[0], parts[1].equals(ALL_ITEMS) ? null : parts[1], parts[2], null))
                : Optional.empty();
    }

    /** Returns the same stop with the content of its node. */
    public FireStop with(@Nullable Request content) {
        return new FireStop(job, item, fire, content);
    }

    /** Returns whether the stop concerns an item. */
    public boolean concerns(String key) {
        return item == null || item.equals(key);
    }

    /**
     * Returns the first stop that concerns an item's part of a fire.
     *
     * @param stops stops of the job
     * @param incarnation incarnation of the item's record
     */
    public static Optional<FireStop> of(List<FireStop> stops, String item, Fire fire, long incarnation) {
        if (stops.isEmpty()) { // the usual case; every decision about a fire calls this method
            return Optional.empty();
        }
        String node = FireProgress.nodeOf(fire, incarnation);
        return stops.stream()
                .filter(stop -> stop.concerns(item) && stop.fire.equals(node))
                .findFirst();
    }

    /** Returns a description of the stop for people, with the actor and the reason. */
    public String text() {
        return request == null
                ? "stopped by an operator"
                : "stopped by " + request.actor + (request.reason.isEmpty() ? "" : ": " + request.reason);
    }
}
