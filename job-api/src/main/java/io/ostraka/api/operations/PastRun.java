package io.ostraka.api.operations;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a history knows about a past run, for {@link Operations#rerun}. Immutable.
 *
 * @param fireTime the {@link io.ostraka.api.ShardingContext#fireTime()} of the run
 * @param shardingTotalCount number of items that the run was split into
 * @param parameters exact parameters of the run's trigger, empty for a scheduled fire; null if the history does not have
 *     all of them
 */
public record PastRun(Instant fireTime, int shardingTotalCount, @Nullable Map<String, String> parameters) {
    /** Copies the parameters. */
    public PastRun {
        parameters = parameters == null ? null : Collections.unmodifiableMap(new TreeMap<>(parameters));
    }
}
