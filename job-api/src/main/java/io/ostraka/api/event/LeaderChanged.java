package io.ostraka.api.event;

import java.time.Instant;

/**
 * This instance leads, or does not lead any more.
 *
 * @param leads true if it leads now
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record LeaderChanged(boolean leads, String instanceId, Instant at) implements Event {}
