/** Schedules, and the alarm that says when a fire is due. */
@NullMarked
package io.ostraka.core.trigger;

import org.jspecify.annotations.NullMarked;
