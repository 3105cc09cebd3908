package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * A node that stores the progress of a fire, as read from ZooKeeper.
 *
 * @param fire name of the node, see {@link FireProgress#nodeOf}
 * @param progress progress of the fire; null if the node is missing or damaged
 * @param damage description of the damage; null if the node is readable or missing
 */
public record FireView(String fire, @Nullable Versioned<FireProgress> progress, @Nullable UnreadableNode damage) {}
