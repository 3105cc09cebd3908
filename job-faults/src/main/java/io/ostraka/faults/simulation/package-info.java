/**
 * The whole engine with several instances in one thread of control, under faults that a seed chooses. The same seed
 * gives the same history.
 */
@NullMarked
package io.ostraka.faults.simulation;

import org.jspecify.annotations.NullMarked;
