package io.ostraka.faults.soak;

import java.time.Instant;

/**
 * A fault that has befallen.
 *
 * @param fault as planned
 * @param began when it truly began
 * @param ended when it was taken back, what it hit being in place again as far as that can be told
 */
record Strike(Fault fault, Instant began, Instant ended) {}
