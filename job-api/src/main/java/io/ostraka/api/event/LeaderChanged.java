package io.ostraka.api.event;

import java.time.Instant;

/**
 * This instance has become the leader, or is no longer the leader.
 *
 * @param leads true if this instance is the leader now
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record LeaderChanged(boolean leads, String instanceId, Instant at) implements Event {}
