/** Programs that try to break the protocol, and say so when they can. */
@NullMarked
package io.ostraka.faults;

import org.jspecify.annotations.NullMarked;
