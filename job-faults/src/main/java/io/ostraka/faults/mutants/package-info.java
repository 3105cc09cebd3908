/** Defects of the protocol that the simulation's checker must find. They prove that the checker detects violations. */
@NullMarked
package io.ostraka.faults.mutants;

import org.jspecify.annotations.NullMarked;
