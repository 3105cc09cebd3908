package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/** The state of a node before and after one step of a transaction; null if the node did not exist. */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /**
     * Returns whether watches report this change: the node was created, deleted or written. A parent also changes when
     * its children do, which watches do not report.
     */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
