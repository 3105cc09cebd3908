/** Metrics: the figures that an instance keeps itself, and the events that other meters receive. */
@NullMarked
package io.ostraka.api.metrics;

import org.jspecify.annotations.NullMarked;
