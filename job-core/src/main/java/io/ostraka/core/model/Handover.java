package io.ostraka.core.model;

/**
 * Content of a failover node: an interrupted fire that the leader assigns to another instance. Failover nodes only
 * inform operators: they name the fires that failed over. All decisions use the item's record alone.
 *
 * @param fire id of the fire
 * @param attempt number of the interrupted attempt
 * @param from instance that ran the fire
 * @param to instance that takes over the fire
 * @param processLives true if the process of {@code from} is still alive under a new session. The interrupted attempt
 *     then does not count as a crash
 */
public record Handover(String fire, int attempt, String from, String to, boolean processLives) {
    /** Checks the ids of the fire and of the instances. */
    public Handover {
        Names.require("fire", fire);
        Names.require("from", from);
        Names.require("to", to);
    }
}
