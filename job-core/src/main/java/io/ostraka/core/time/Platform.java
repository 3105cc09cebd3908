package io.ostraka.core.time;

import java.util.concurrent.Executor;

/**
 * What an engine needs of the machine it runs on. One seeded scheduler can stand in for all of it.
 *
 * @param clock wall and monotonic time
 * @param alarm wakes at instants of the wall clock
 * @param timer wakes after spans of monotonic time
 * @param lanes runs the engine's own short, never blocking tasks
 * @param workers runs users' code, which may block
 */
public record Platform(Clock clock, Alarm alarm, Timer timer, Executor lanes, Executor workers) {}
