package io.ostraka.testkit;

import org.jspecify.annotations.Nullable;

/** A node before and after one step of a transaction; null where it didn't exist. */
record Change(String path, @Nullable Znode before, @Nullable Znode after) {

    boolean createsOrDeletes() {
        return before == null || after == null;
    }

    /** Whether this is more than a count of children. */
    boolean isSeenByWatches() {
        return before == null || after == null || before.version() != after.version();
    }
}
