package io.ostraka.faults.history;

import org.jspecify.annotations.Nullable;

/** One of the protocol's invariants. It sees every event before that is taken into the state. */
abstract class Invariant {
    /** Where breaches go. */
    interface Court {
        /**
         * Takes a breach by the event that is being seen.
         *
         * @param item whose events show it; null for none in particular
         */
        void accuse(String what, @Nullable Item item);
    }

    private @Nullable Court court;

    /** Has it report to someone. */
    final void reportTo(Court to) {
        court = to;
    }

    final void expect(boolean holds, String what, @Nullable Object whose, @Nullable Item item) {
        if (!holds) {
            expected(what, whose, item);
        }
    }

    final void expected(String what, @Nullable Object whose, @Nullable Item item) {
        if (court != null) {
            court.accuse("not so: " + what + (whose == null ? "" : ": " + whose), item);
        }
    }

    /** A transaction is carried out. */
    void transaction(Event.Transaction transaction, State before) {}

    /** A record is written over. */
    void move(Move move, State before) {}

    /** Something else has happened. */
    void event(Event event, State before) {}
}
