package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/** A node before and after one step of a transaction; null if it did not exist. */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /** Returns whether the change is more than a new count of children. */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
