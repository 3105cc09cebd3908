package io.ostraka.core.facade;

import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.model.FireProgress;
import org.jspecify.annotations.Nullable;

/** What this instance knows of the progress of a triggered fire. Confined to its job's lane. */
final class FireHold {
    final String id;
    /** Whether {@link #progress} is what was read or written last. */
    boolean known;

    boolean reading;

    @Nullable Versioned<FireProgress> progress;
    /** Whether the trigger's node turned out to be gone before the fire's end. */
    boolean triggerGone;

    FireHold(String id) {
        this.id = id;
    }
}
