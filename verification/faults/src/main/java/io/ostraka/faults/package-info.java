/** Programs that try to break the protocol and report whether they have succeeded. */
@NullMarked
package io.ostraka.faults;

import org.jspecify.annotations.NullMarked;
