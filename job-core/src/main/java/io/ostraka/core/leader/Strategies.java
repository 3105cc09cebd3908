package io.ostraka.core.leader;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Need;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sharding strategies of this instance by type, and the data that each strategy needs. Immutable and thread-safe. */
final class Strategies {
    private final Map<String, JobShardingStrategy> byType;
    private final Map<String, Set<Need>> needs = new HashMap<>();

    /**
     * Reads the needs of each strategy once, on the calling thread. A strategy may be user code, and user code must not
     * block the leader's executor.
     *
     * @throws IllegalArgumentException if {@code needs()} of a strategy throws or returns null
     */
    Strategies(Map<String, JobShardingStrategy> byType) {
        this.byType = Map.copyOf(byType);
        byType.forEach((type, strategy) -> {
            try {
                needs.put(type, Set.copyOf(strategy.needs()));
            } catch (Exception e) { // user code may throw any exception
                throw new IllegalArgumentException(
                        "Sharding strategy '" + type + "' does not return its needs: needs() of "
                                + strategy.getClass().getName() + " threw or returned null (" + e
                                + "); accepted: a set of Need, empty for none",
                        e);
            }
        });
    }

    /** Returns the strategy of a type; null if this instance has no such strategy. */
    @Nullable JobShardingStrategy get(String type) {
        return byType.get(type);
    }

    /** Returns the data that a strategy needs; empty if this instance does not have the strategy. */
    Set<Need> needs(String type) {
        return needs.getOrDefault(type, Set.of());
    }

    Set<String> types() {
        return byType.keySet();
    }
}
