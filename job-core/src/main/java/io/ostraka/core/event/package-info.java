/** Passes events from the engine to the subscribers. */
@NullMarked
package io.ostraka.core.event;

import org.jspecify.annotations.NullMarked;
