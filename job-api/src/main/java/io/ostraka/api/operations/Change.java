package io.ostraka.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command that changed a value: its actor, its reason and its time. Immutable.
 *
 * @param by name of the person or program; empty if unknown
 * @param reason reason for the command; empty if none was given
 * @param at time of the command by ZooKeeper's clock, as estimated by the client that sent the command
 * @param until time at which the leader undoes the change; null for no end
 */
public record Change(String by, String reason, Instant at, @Nullable Instant until) {}
