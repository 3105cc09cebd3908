/** The reconciler that the leading instance runs: from what is observed to what must be written. */
@NullMarked
package io.ostraka.core.leader;

import org.jspecify.annotations.NullMarked;
