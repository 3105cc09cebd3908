/** Recorded events, and the invariants of the protocol, which depend on the events alone. */
@NullMarked
package io.ostraka.faults.history;

import org.jspecify.annotations.NullMarked;
