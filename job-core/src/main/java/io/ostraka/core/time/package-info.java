/** The ports for the passing of time and for threads, all of which a test replaces by one it drives itself. */
@NullMarked
package io.ostraka.core.time;

import org.jspecify.annotations.NullMarked;
