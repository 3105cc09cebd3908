/** Records what users' code does and what the engine reports, alike in the simulation and in worker processes. */
@NullMarked
package io.ostraka.faults.recorder;

import org.jspecify.annotations.NullMarked;
