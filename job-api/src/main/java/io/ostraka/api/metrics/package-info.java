/** Figures that an instance measures about itself, for applications and for metrics systems. */
@NullMarked
package io.ostraka.api.metrics;

import org.jspecify.annotations.NullMarked;
