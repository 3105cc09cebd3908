/** Running an item: attempts, limits, slots and child tasks, and the boundary to user code. */
@NullMarked
package io.ostraka.core.run;

import org.jspecify.annotations.NullMarked;
