package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/**
 * One step of a transaction: the state of a node before and after it. A state is null if the node does not exist then.
 */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /**
     * Returns whether watches report this change. They report the creation, the deletion and each write of a node. They
     * do not report that only the list of the node's children has changed.
     */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
