package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * The alarms of a job or of the namespace, as read from ZooKeeper.
 *
 * @param job name of the job; null for the namespace
 * @param value the alarms; null if none are stored, or if the node is damaged
 * @param damage description of the damage; null if the node is readable or missing
 */
public record AlarmsView(@Nullable String job, @Nullable Versioned<JobAlarms> value, @Nullable UnreadableNode damage) {}
