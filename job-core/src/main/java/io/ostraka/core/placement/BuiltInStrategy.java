package io.ostraka.core.placement;

import io.ostraka.api.JobShardingStrategy;

/** Sharding strategy of this library. It returns quickly, so the leader calls it on its own thread. */
public interface BuiltInStrategy extends JobShardingStrategy {}
