/**
 * Worker processes, which run jobs with the real engine, and the process to which these jobs write. Each process
 * records its events, and has a handle class for the process that starts it.
 */
@NullMarked
package io.ostraka.faults.worker;

import org.jspecify.annotations.NullMarked;
