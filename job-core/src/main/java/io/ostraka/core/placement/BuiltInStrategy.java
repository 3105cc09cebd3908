package io.ostraka.core.placement;

import io.ostraka.api.JobShardingStrategy;

/**
 * A sharding strategy of this library. Since these strategies are fast, the leader calls them on its own thread; user
 * strategies run on a worker thread.
 */
public interface BuiltInStrategy extends JobShardingStrategy {}
