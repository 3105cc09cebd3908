package io.ostraka.api.event;

import java.time.Instant;

/**
 * An operator has released a quarantined item through this instance.
 *
 * @param job name of the job
 * @param item key of the item
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record ItemReleased(String job, String item, String instanceId, Instant at) implements JobEvent {}
