/**
 * Deliberate defects of the protocol. The simulation must find all of them, which shows that its checker detects
 * violations.
 */
@NullMarked
package io.ostraka.faults.mutants;

import org.jspecify.annotations.NullMarked;
