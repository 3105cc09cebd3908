package io.ostraka.faults.model;

import java.util.function.Supplier;

/**
 * A protocol as a graph of states and steps.
 *
 * @param <W> type of the states
 */
interface Model<W extends World> {
    /** Receives the steps from a state. */
    interface Steps<W> {
        /**
         * Returns a copy of the present state. The caller changes it into the next state. Only one copy exists at a
         * time.
         */
        W next();

        /**
         * Takes a step.
         *
         * @param next the state after the step
         * @param what supplies the description of the step; called only if the step is printed
         */
        void take(W next, Supplier<String> what);

        /**
         * Takes a step that is a fault or an action of an operator. From every state, all fires must be able to end
         * without such steps.
         */
        void takeFault(W next, Supplier<String> what);
    }

    /** Returns the first state. */
    W first();

    /** Enumerates all possible steps from a state. */
    void steps(W now, Steps<W> steps);

    /** Returns whether all fires have ended in this state. */
    boolean finished(W world);

    /** Returns the model's name and size, in one line. */
    String title();
}
