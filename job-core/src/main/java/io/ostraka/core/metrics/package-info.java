/** Counters and times of the jobs in this instance. */
@NullMarked
package io.ostraka.core.metrics;

import org.jspecify.annotations.NullMarked;
