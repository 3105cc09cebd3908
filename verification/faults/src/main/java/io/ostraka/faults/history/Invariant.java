package io.ostraka.faults.history;

import org.jspecify.annotations.Nullable;

/**
 * An invariant of the protocol. It receives every event together with the state before the event. Some invariants hold
 * only in the calm phase, the last part of a history, from {@link Event.Calm} to {@link Event.Over}.
 */
abstract class Invariant {
    /** Receiver of violations. */
    interface Violations {
        /**
         * Reports that the present event violates the invariant.
         *
         * @param item item whose events belong to the trail; null for none
         */
        void report(String what, @Nullable Item item);
    }

    private @Nullable Violations violations;

    /** Sets the receiver of violations. */
    final void reportTo(Violations to) {
        violations = to;
    }

    final void expect(boolean holds, String what, @Nullable Object subject, @Nullable Item item) {
        if (!holds) {
            expected(what, subject, item);
        }
    }

    final void expected(String what, @Nullable Object subject, @Nullable Item item) {
        if (violations != null) {
            violations.report("expected: " + what + (subject == null ? "" : ": " + subject), item);
        }
    }

    /** Checks a transaction. */
    void transaction(Event.Transaction transaction, State before) {}

    /** Checks a write of a record. */
    void move(Move move, State before) {}

    /** Checks any other event. */
    void event(Event event, State before) {}
}
