package io.ostraka.faults.simulation;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.NodeStore;

/** Where something can be put between the engine and what it stands on, for every instance alike. */
public interface Seam {
    /** Nothing between. */
    Seam NONE = new Seam() {};

    /** Wraps an instance's store. */
    default NodeStore store(NodeStore store) {
        return store;
    }

    /** Wraps an instance's coordination. */
    default Coordination coordination(Coordination coordination) {
        return coordination;
    }
}
