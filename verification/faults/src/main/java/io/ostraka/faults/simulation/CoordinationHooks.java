package io.ostraka.faults.simulation;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.tree.NodeStore;

/** Hooks that wrap the layers below the engine, in the same way for every instance. */
public interface CoordinationHooks {
    /** Hooks that wrap nothing. */
    CoordinationHooks NONE = new CoordinationHooks() {};

    /** Hooks that wrap nothing, but let the versions of persistent nodes begin a little below -1. */
    CoordinationHooks WRAPPING = new CoordinationHooks() {
        @Override
        public int firstVersion() {
            return SHORTLY_BEFORE_WRAP;
        }
    };

    /** Initial version from which every node reaches version -1 after a few writes. */
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
