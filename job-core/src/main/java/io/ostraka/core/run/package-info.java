/** Runs items: calls the user's code in attempts, with time limits, slots and child tasks. */
@NullMarked
package io.ostraka.core.run;

import org.jspecify.annotations.NullMarked;
