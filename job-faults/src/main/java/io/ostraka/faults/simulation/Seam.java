package io.ostraka.faults.simulation;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.tree.NodeStore;

/** Where something can be put between the engine and what it stands on, for every instance alike. */
public interface Seam {
    /** Nothing between. */
    Seam NONE = new Seam() {};

    /** Nothing between, on nodes whose versions are about to wrap: {@link #firstVersion()}. */
    Seam WRAPPING = new Seam() {
        @Override
        public int firstVersion() {
            return SHORTLY_BEFORE_WRAP;
        }
    };

    /** Every node passes version -1 soon after its creation. */
    int SHORTLY_BEFORE_WRAP = -5;

    /** Returns in which version nodes that stay are created. */
    default int firstVersion() {
        return 0;
    }

    /** Wraps an instance's store. */
    default NodeStore store(NodeStore store) {
        return store;
    }

    /** Wraps an instance's coordination. */
    default Coordination coordination(Coordination coordination) {
        return coordination;
    }
}
