/** Recorded events, and checks of the protocol's invariants that depend only on these events. */
@NullMarked
package io.ostraka.faults.history;

import org.jspecify.annotations.NullMarked;
