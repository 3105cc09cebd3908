package io.ostraka.core.leader;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Need;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sharding strategies of this instance by type, and what each one needs to know. Immutable and thread-safe. */
final class Strategies {
    private final Map<String, JobShardingStrategy> byType;
    private final Map<String, Set<Need>> needs = new HashMap<>();

    /**
     * Asks each strategy for its needs, once, on the calling thread: a strategy may be users' code, and the leader's executor
     * never waits for users' code.
     *
     * @throws IllegalArgumentException if a strategy does not return its needs
     */
    Strategies(Map<String, JobShardingStrategy> byType) {
        this.byType = Map.copyOf(byType);
        byType.forEach((type, strategy) -> {
            try {
                needs.put(type, Set.copyOf(strategy.needs()));
            } catch (Exception e) { // users' code
                throw new IllegalArgumentException(
                        "Sharding strategy '" + type + "' does not return its needs: needs() of "
                                + strategy.getClass().getName() + " threw or returned null (" + e
                                + "); accepted: a set of Need, empty for none",
                        e);
            }
        });
    }

    /** Returns the strategy of a type; null if this instance does not have it. */
    @Nullable JobShardingStrategy get(String type) {
        return byType.get(type);
    }

    /** Returns the needs of a strategy; empty for a type that this instance does not have. */
    Set<Need> needs(String type) {
        return needs.getOrDefault(type, Set.of());
    }

    Set<String> types() {
        return byType.keySet();
    }
}
