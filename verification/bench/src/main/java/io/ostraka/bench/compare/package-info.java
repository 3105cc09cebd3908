/**
 * Measures the effects of kills, pauses, outages and churn, in the same way on a cluster of this library and on a
 * cluster of another scheduler.
 */
@NullMarked
package io.ostraka.bench.compare;

import org.jspecify.annotations.NullMarked;
