package io.ostraka.faults.soak;

import java.time.Instant;

/**
 * A fault that was injected.
 *
 * @param fault planned fault
 * @param began actual time of the beginning
 * @param ended time at which it was taken back; its target works again by then, as far as that can be observed
 */
record InjectedFault(Fault fault, Instant began, Instant ended) {}
