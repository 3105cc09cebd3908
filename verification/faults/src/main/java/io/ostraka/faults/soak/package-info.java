/** Soak tests: run real processes on a real ensemble, inject faults that a seed determines, and check the result. */
@NullMarked
package io.ostraka.faults.soak;

import org.jspecify.annotations.NullMarked;
