package io.ostraka.core.model;

/**
 * An interrupted fire that the leader gives to a survivor. The node shows operators which fires failed over; decisions use
 * the item's record alone.
 *
 * @param fire id of the fire
 * @param attempt number of the interrupted attempt
 * @param from instance that ran the fire
 * @param to instance that takes the fire over
 * @param processLives whether the process of {@code from} lives on under a new session, so that nothing crashed
 */
public record Handover(String fire, int attempt, String from, String to, boolean processLives) {
    /** Refuses an invalid id of a fire or an instance. */
    public Handover {
        Names.require("fire", fire);
        Names.require("from", from);
        Names.require("to", to);
    }
}
