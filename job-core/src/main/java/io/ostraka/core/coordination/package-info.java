/** The port between the engine and what coordinates its instances, in the words of the protocol. */
@NullMarked
package io.ostraka.core.coordination;

import org.jspecify.annotations.NullMarked;
