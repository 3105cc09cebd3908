package io.ostraka.faults.soak;

import java.time.Instant;

/**
 * A fault that has befallen.
 *
 * @param fault as planned
 * @param began when it truly began
 * @param ended when it was taken back, what it hit being in place again as far as that can be told
 */
record Strike(Fault fault, Instant began, Instant ended) {
    /** Whether it keeps items from going on elsewhere: it hits the servers, or a worker, but for its clock. */
    boolean disturbs() {
        return switch (fault.kind().layer()) {
            case ENSEMBLE, NETWORK, PROCESS -> true;
            case CLOCK, JOB -> false;
        };
    }
}
