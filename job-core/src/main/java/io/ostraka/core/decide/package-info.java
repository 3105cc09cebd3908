/** Pure decisions: functions from values to values that use no clock, log, thread or store. */
@NullMarked
package io.ostraka.core.decide;

import org.jspecify.annotations.NullMarked;
