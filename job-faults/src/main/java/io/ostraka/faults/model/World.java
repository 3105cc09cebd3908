package io.ostraka.faults.model;

import org.jspecify.annotations.Nullable;

/** One state of a model, laid open to be read and changed. */
abstract class World {
    /** What is wrong with how it came about; null if nothing is. */
    @Nullable String violation;

    /** Lays all that it consists of into cells, or takes it from there, always in the same order. */
    abstract void lay(Cells cells);

    /** Brings states that differ in nothing that matters to one form. */
    void normalise() {}

    /** Notes that an invariant does not hold. The first one noted is reported. */
    final void violate(String what) {
        if (violation == null) {
            violation = what;
        }
    }
}
