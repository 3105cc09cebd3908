/**
 * Worker processes with the real engine, their jobs, and the process to which the jobs write. Each process records its
 * events, and has a handle class for the process that starts it.
 */
@NullMarked
package io.ostraka.faults.worker;

import org.jspecify.annotations.NullMarked;
