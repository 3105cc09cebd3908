/** The instants at which jobs fire. */
@NullMarked
package io.ostraka.core.schedule;

import org.jspecify.annotations.NullMarked;
