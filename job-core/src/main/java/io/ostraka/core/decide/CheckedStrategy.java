package io.ostraka.core.decide;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Answer;
import io.ostraka.api.JobShardingStrategy.Request;
import io.ostraka.core.model.ItemKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A sharding strategy whose answers are checked, because the strategy may be user code. Each answer is copied before
 * the check, so later changes by the strategy have no effect.
 */
record CheckedStrategy(JobShardingStrategy strategy) {
    /** Largest number of unplaced items that an error message lists. */
    private static final int MOST_NAMED = 10;

    /** Returns the strategy's type, or its class name if {@code type()} throws an exception. */
    String type() {
        return textOf(strategy::type, strategy);
    }

    /**
     * Returns whether the strategy accepts a job with this number of items. A {@link JobRouter} accepts at most one
     * item.
     */
    boolean isFor(int items) {
        return items <= 1 || !(strategy instanceof JobRouter);
    }

    /** Returns whether the strategy accepts jobs with scope {@code ONE_PER_ZONE}. */
    boolean isForZones() {
        return isFor(2);
    }

    /**
     * Checks that the strategy accepts a job with this number of items.
     *
     * @throws PlacementRefusedException if the strategy accepts only one item and the job has more
     */
    void requireFor(int items) {
        if (!isFor(items)) {
            throw new PlacementRefusedException(
                    "strategy " + type() + " accepts jobs with one item only, and this job has " + items
                            + "; choose another shardingStrategy, or shardingTotalCount 1");
        }
    }

    /**
     * Checks that the strategy accepts jobs with scope {@code ONE_PER_ZONE}. A router does not accept these jobs,
     * because it only places jobs with a single item.
     *
     * @throws PlacementRefusedException if the strategy is a router
     */
    void requireForZones() {
        if (!isForZones()) {
            throw new PlacementRefusedException(
                    "strategy " + type() + " accepts jobs with one item only, and with scope ONE_PER_ZONE every"
                            + " zone has one; choose another shardingStrategy, or scope SINGLETON");
        }
    }

    /**
     * Calls the strategy and checks its answer.
     *
     * @throws PlacementRefusedException if the strategy throws or returns an invalid answer
     */
    Answer place(Request request) {
        try {
            Answer answer = strategy.place(request);
            if (answer == null || answer.items() == null || answer.state() == null) { // user code may return null
                throw new PlacementRefusedException("returned null");
            }
            Map<String, List<String>> placed = new HashMap<>();
            answer.items()
                    .forEach((instance, items) -> placed.put(instance, items == null ? null : new ArrayList<>(items)));
            check(placed, request);
            if (answer.state().length() > JobShardingStrategy.MAX_STATE) {
                throw new PlacementRefusedException("returned a state of "
                        + answer.state().length() + " characters; accepted: " + JobShardingStrategy.MAX_STATE);
            }
            return new Answer(placed, answer.state());
        } catch (PlacementRefusedException e) {
            throw new PlacementRefusedException("strategy " + type() + " " + e.reason());
        } catch (Throwable e) { // user code may throw anything
            throw new PlacementRefusedException("strategy " + type() + " threw " + textOf(e::toString, e));
        }
    }

    private static String textOf(Supplier<String> text, Object by) {
        try {
            return String.valueOf(text.get());
        } catch (Throwable e) { // user code may throw anything
            return by.getClass().getName();
        }
    }

    private static void check(Map<String, List<String>> answer, Request request) {
        Set<String> ids = new HashSet<>();
        request.instances().stream().map(JobInstance::id).forEach(ids::add);
        Set<String> missing = new HashSet<>(request.items());
        answer.forEach((instance, placed) -> {
            if (!ids.contains(instance)) {
                throw new PlacementRefusedException(
                        "named '" + instance + "', which is not one of the given instances");
            }
            if (placed == null) { // user code may return null
                throw new PlacementRefusedException("gave instance '" + instance + "' null instead of items");
            }
            for (String item : placed) {
                if (!missing.remove(item)) {
                    throw new PlacementRefusedException(
                            "placed item '" + item + "' twice, or the job does not have it");
                }
            }
        });
        if (!missing.isEmpty()) {
            List<String> named =
                    missing.stream().sorted(ItemKeys.ORDER).limit(MOST_NAMED).toList();
            throw new PlacementRefusedException("did not place items " + named
                    + (missing.size() > MOST_NAMED ? " and " + (missing.size() - MOST_NAMED) + " more" : ""));
        }
    }
}
