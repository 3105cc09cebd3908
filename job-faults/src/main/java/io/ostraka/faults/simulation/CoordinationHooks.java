package io.ostraka.faults.simulation;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.tree.NodeStore;

/** Wraps the layers below the engine, in the same way for every instance. */
public interface CoordinationHooks {
    /** Wraps nothing. */
    CoordinationHooks NONE = new CoordinationHooks() {};

    /** Wraps nothing, but creates persistent nodes with a version shortly before version -1. */
    CoordinationHooks WRAPPING = new CoordinationHooks() {
        @Override
        public int firstVersion() {
            return SHORTLY_BEFORE_WRAP;
        }
    };

    /** First version from which every node passes version -1 after a few writes. */
    int SHORTLY_BEFORE_WRAP = -5;

    /** Returns the initial version of persistent nodes. */
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
