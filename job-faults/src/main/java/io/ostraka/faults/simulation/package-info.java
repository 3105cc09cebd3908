/**
 * The whole engine, several instances in one thread of control, under faults that a seed chooses: the same seed gives the
 * same history.
 */
@NullMarked
package io.ostraka.faults.simulation;

import org.jspecify.annotations.NullMarked;
