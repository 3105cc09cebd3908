/** Soaks: real processes on a real ensemble, faults from a seed, and checks of the result. */
@NullMarked
package io.ostraka.faults.soak;

import org.jspecify.annotations.NullMarked;
