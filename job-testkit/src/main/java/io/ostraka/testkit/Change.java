package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/** The state of a node before and after one step of a transaction; null if the node did not exist. */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /**
     * Returns whether watches report this change. They do if the node was created, deleted or written. They do not
     * report a change of a parent that only results from the creation or deletion of a child.
     */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
