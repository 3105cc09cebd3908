package io.ostraka.core.placement;

import io.ostraka.api.JobShardingStrategy;

/** A strategy that the library brings. It answers at once, so the leader calls it on its own thread. */
public interface BuiltInStrategy extends JobShardingStrategy {}
