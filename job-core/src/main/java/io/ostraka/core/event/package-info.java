/** Passes events from the engine to their subscribers. */
@NullMarked
package io.ostraka.core.event;

import org.jspecify.annotations.NullMarked;
