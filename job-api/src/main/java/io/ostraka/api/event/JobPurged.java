package io.ostraka.api.event;

import java.time.Instant;

/**
 * An operator has deleted the nodes of a removed job through this instance.
 *
 * @param job name of the job
 * @param actor name of the person or program that gave the command
 * @param reason reason for the command; empty if none was given
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record JobPurged(String job, String actor, String reason, String instanceId, Instant at) implements JobEvent {}
