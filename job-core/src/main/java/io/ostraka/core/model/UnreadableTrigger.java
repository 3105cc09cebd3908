package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * A trigger whose content this instance cannot read. Another instance may be able to read it, so the later triggers of
 * the same job wait for it.
 *
 * @param name name of the trigger's node
 * @param zxid transaction that created the trigger
 * @param job job that the trigger names. Null if it names none; no job then waits for it, because no version of this
 *     library writes such a trigger
 * @param damage description of the node
 */
public record UnreadableTrigger(String name, long zxid, @Nullable String job, UnreadableNode damage) {}
