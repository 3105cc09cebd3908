package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/** The state of a node before and after one step of a transaction; null if the node did not exist. */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /**
     * Returns whether watches report this change. They report that a node was created, deleted or written. They do not
     * report that a node has changed only because a child was created or deleted.
     */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
