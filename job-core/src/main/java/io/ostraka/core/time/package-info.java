/** Clocks, timers and serial executors. Tests replace the interfaces with implementations that they control. */
@NullMarked
package io.ostraka.core.time;

import org.jspecify.annotations.NullMarked;
