/** What happened, as recorded, and the protocol's invariants checked against that and nothing else. */
@NullMarked
package io.ostraka.faults.history;

import org.jspecify.annotations.NullMarked;
