package io.ostraka.faults.model;

import org.jspecify.annotations.Nullable;

/** State of a model. It is mutable, and the steps access its fields directly. */
abstract class World {
    /** Violation that the step to this state has caused; null if there is none. */
    @Nullable String violation;

    /** Writes all fields to cells, or reads them from cells, always in the same order. */
    abstract void lay(PackedState cells);

    /** Maps equivalent states to one canonical form. */
    void normalise() {}

    /** Records a broken invariant. Later calls have no effect. */
    final void violate(String what) {
        if (violation == null) {
            violation = what;
        }
    }
}
