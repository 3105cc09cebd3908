/**
 * Worker processes with the real engine, the jobs that they run, and the process that these write to; each records what
 * happens in it, and each has a handle by which another process holds it.
 */
@NullMarked
package io.ostraka.faults.worker;

import org.jspecify.annotations.NullMarked;
