package io.ostraka.api.event;

import java.time.Instant;

/**
 * An item is due, but this instance has no free slot to run it. Published once for each fire of the item.
 *
 * @param job name of the job
 * @param item key of the item
 * @param runId identity of the fire that waits
 * @param instanceId id of the instance that owns the item
 * @param at time of the event
 */
public record ItemWaiting(String job, String item, String runId, String instanceId, Instant at) implements JobEvent {}
