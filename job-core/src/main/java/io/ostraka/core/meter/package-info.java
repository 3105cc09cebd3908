/** Figures that an instance keeps of its own. */
@NullMarked
package io.ostraka.core.meter;

import org.jspecify.annotations.NullMarked;
