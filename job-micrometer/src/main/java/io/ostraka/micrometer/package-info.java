/** Figures of an instance as meters of Micrometer. */
@NullMarked
package io.ostraka.micrometer;

import org.jspecify.annotations.NullMarked;
