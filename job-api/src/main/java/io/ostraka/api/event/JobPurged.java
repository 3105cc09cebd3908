package io.ostraka.api.event;

import java.time.Instant;

/**
 * An operator has deleted the nodes of a removed job through this instance.
 *
 * @param job name of the job
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record JobPurged(String job, String instanceId, Instant at) implements JobEvent {}
