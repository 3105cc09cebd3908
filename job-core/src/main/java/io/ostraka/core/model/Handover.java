package io.ostraka.core.model;

/**
 * An interrupted fire that the leader gives to a survivor. People see by it what failed over; the record alone decides.
 *
 * @param fire id of the fire
 * @param attempt that was interrupted
 * @param from instance that ran it
 * @param to instance that is to take over
 * @param processLives whether the process behind {@code from} lives on under a new session, so that nothing crashed
 */
public record Handover(String fire, int attempt, String from, String to, boolean processLives) {
    /** Refuses what can't be a fire or an instance. */
    public Handover {
        Names.require("fire", fire);
        Names.require("from", from);
        Names.require("to", to);
    }
}
