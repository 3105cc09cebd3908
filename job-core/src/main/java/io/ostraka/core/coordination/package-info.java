/** Port between the engine and the store that coordinates its instances, in the terms of the protocol. */
@NullMarked
package io.ostraka.core.coordination;

import org.jspecify.annotations.NullMarked;
