/**
 * Measures the effects of kills, pauses, outages and churn on a cluster of this library and on one of another
 * scheduler, in the same way.
 */
@NullMarked
package io.ostraka.bench.compare;

import org.jspecify.annotations.NullMarked;
