package io.ostraka.faults.model;

import java.util.function.Supplier;

/**
 * A protocol as states and steps between them.
 *
 * @param <W> its states
 */
interface Model<W extends World> {
    /** Where the steps of a state go. */
    interface Steps<W> {
        /** Returns the present state, to be changed into the next. There is one at a time. */
        W next();

        /**
         * Takes the step that leads there.
         *
         * @param what says it in the protocol's words; asked only where it is told
         */
        void take(W next, Supplier<String> what);

        /** The same for a step that nobody can count on: a fault, or what people do. All must come to its end without. */
        void befall(W next, Supplier<String> what);
    }

    /** Returns the first state. */
    W first();

    /** Takes every step that is possible. */
    void steps(W now, Steps<W> steps);

    /** Tells whether all has come to its end, so that nothing more is asked of this state. */
    boolean finished(W world);

    /** Says what it comprises, in a line. */
    String title();
}
