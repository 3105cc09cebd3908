package io.ostraka.faults.soak;

import java.time.Instant;

/**
 * A fault that was injected.
 *
 * @param fault planned fault
 * @param began time at which the fault actually began
 * @param ended time at which the fault had been undone and its target worked again, as far as this can be observed
 */
record InjectedFault(Fault fault, Instant began, Instant ended) {}
