package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * A trigger whose content this instance cannot read. Other instances may be able to read this trigger, so later
 * triggers of the same job wait until this trigger has ended or was deleted.
 *
 * @param name name of the trigger's node
 * @param zxid transaction that created the trigger
 * @param job job that the trigger names; null if it names no job. No version of this library writes such a trigger, so
 *     no job waits for it
 * @param damage description of the node
 */
public record UnreadableTrigger(String name, long zxid, @Nullable String job, UnreadableNode damage) {}
