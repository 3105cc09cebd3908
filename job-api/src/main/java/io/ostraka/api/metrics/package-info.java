/** Measurements that each instance takes of its own work, for applications and for metrics systems. */
@NullMarked
package io.ostraka.api.metrics;

import org.jspecify.annotations.NullMarked;
