/** What kills, pauses, outages and churn do to a cluster of this library and of another scheduler, measured alike. */
@NullMarked
package io.ostraka.bench.compare;

import org.jspecify.annotations.NullMarked;
