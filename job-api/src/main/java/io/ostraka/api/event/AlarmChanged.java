package io.ostraka.api.event;

import io.ostraka.api.Alarm;
import java.time.Instant;

/**
 * An alarm has begun or ended. The leader publishes the event after it has written the alarm to ZooKeeper.
 *
 * @param alarm the alarm
 * @param silenced true if an operator has silenced the alarm, so that no handler receives it
 * @param instanceId id of the leader
 * @param at time of the event
 */
public record AlarmChanged(Alarm alarm, boolean silenced, String instanceId, Instant at) implements Event {}
