/** Programs that try to break the protocol, and that report if they succeed. */
@NullMarked
package io.ostraka.faults;

import org.jspecify.annotations.NullMarked;
