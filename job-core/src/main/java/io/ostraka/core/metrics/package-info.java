/** Computes the metrics of an instance's jobs from the events of the instance. */
@NullMarked
package io.ostraka.core.metrics;

import org.jspecify.annotations.NullMarked;
