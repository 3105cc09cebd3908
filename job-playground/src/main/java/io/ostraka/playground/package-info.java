/** A console with everything that it needs, to try it: see {@link io.ostraka.playground.PlaygroundMain}. */
@NullMarked
package io.ostraka.playground;

import org.jspecify.annotations.NullMarked;
