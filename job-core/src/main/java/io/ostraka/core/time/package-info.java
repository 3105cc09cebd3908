/** Ports for time and threads, which tests replace with implementations that they control. */
@NullMarked
package io.ostraka.core.time;

import org.jspecify.annotations.NullMarked;
