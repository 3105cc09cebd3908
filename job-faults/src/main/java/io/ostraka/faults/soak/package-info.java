/** Soaks: real processes on a real ensemble, faults from a seed, and what came of it, checked. */
@NullMarked
package io.ostraka.faults.soak;

import org.jspecify.annotations.NullMarked;
