/** Programs that try to break the protocol and report it when they succeed. */
@NullMarked
package io.ostraka.faults;

import org.jspecify.annotations.NullMarked;
