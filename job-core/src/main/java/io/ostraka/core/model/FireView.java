package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * The node of a fire whose end must be known, as read.
 *
 * @param fire name of the node, see {@link FireProgress#nodeOf}
 * @param progress how far the fire is; null if there is no node, or the node is damaged
 * @param damage why the node can't be read; null if it can, or if there is none
 */
public record FireView(String fire, @Nullable Versioned<FireProgress> progress, @Nullable UnreadableNode damage) {}
