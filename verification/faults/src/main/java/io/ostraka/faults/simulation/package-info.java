/**
 * Simulates several instances with the real engine in one process, under faults that a seed determines. Only one
 * instance executes at a time, so the same seed gives the same history.
 */
@NullMarked
package io.ostraka.faults.simulation;

import org.jspecify.annotations.NullMarked;
