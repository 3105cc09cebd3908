/** Computes the instants at which the schedules of jobs fire. */
@NullMarked
package io.ostraka.core.schedule;

import org.jspecify.annotations.NullMarked;
