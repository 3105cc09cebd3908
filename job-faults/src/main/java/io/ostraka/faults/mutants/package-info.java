/** Defects put into the protocol, each of which the simulation's checker must find: a check that can't fail is none. */
@NullMarked
package io.ostraka.faults.mutants;

import org.jspecify.annotations.NullMarked;
