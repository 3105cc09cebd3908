/** Computes metrics of the jobs in this instance from its events. */
@NullMarked
package io.ostraka.core.metrics;

import org.jspecify.annotations.NullMarked;
