/**
 * Records the calls of user code and the reports of the engine, in the same way in the simulation and in worker
 * processes.
 */
@NullMarked
package io.ostraka.faults.recorder;

import org.jspecify.annotations.NullMarked;
