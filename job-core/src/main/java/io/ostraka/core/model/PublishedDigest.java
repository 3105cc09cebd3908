package io.ostraka.core.model;

import org.jspecify.annotations.Nullable;

/**
 * The digest of an instance as read from its node: either its content or the reason why it is unreadable.
 *
 * @param instance id of the instance, from the name of the node
 * @param digest content of the node, with the time of its write; null if the node is unreadable
 * @param damage description of the damage; null if the node is readable
 */
public record PublishedDigest(
        String instance, @Nullable Versioned<HealthDigest> digest, @Nullable UnreadableNode damage) {}
