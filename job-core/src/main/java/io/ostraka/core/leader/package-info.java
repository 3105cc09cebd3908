/**
 * The reconciler of the leading instance: it compares the observed state with the wanted state and writes the difference.
 */
@NullMarked
package io.ostraka.core.leader;

import org.jspecify.annotations.NullMarked;
