/**
 * Runs the whole engine, with several instances of which only one executes at a time, under faults that a seed chooses.
 * The same seed gives the same history.
 */
@NullMarked
package io.ostraka.faults.simulation;

import org.jspecify.annotations.NullMarked;
