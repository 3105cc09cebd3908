package io.ostraka.faults.model;

import org.jspecify.annotations.Nullable;

/** State of a model, mutable and with open fields. */
abstract class World {
    /** Violation by the step that led to this state; null if there is none. */
    @Nullable String violation;

    /** Writes all fields into cells or reads them from there, always in the same order. */
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
