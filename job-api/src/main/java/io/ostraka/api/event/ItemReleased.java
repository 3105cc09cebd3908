package io.ostraka.api.event;

import java.time.Instant;

/**
 * An operator has released a quarantined item through this instance. A repeated command causes no event, and neither
 * does a command whose reply was lost.
 *
 * @param job name of the job
 * @param item key of the item
 * @param actor name of the person or program that gave the command
 * @param reason reason for the command; empty if none was given
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record ItemReleased(String job, String item, String actor, String reason, String instanceId, Instant at)
        implements JobEvent {}
