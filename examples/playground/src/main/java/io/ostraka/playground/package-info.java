/** A console to try, with everything that it needs: see {@link io.ostraka.playground.PlaygroundMain}. */
@NullMarked
package io.ostraka.playground;

import org.jspecify.annotations.NullMarked;
