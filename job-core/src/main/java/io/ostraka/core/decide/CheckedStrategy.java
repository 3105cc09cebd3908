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

/** A strategy, which may be users' code: what it says is read once, and refused if it can't be. */
record CheckedStrategy(JobShardingStrategy strategy) {
    /** How many forgotten items are named. */
    private static final int MOST_NAMED = 10;

    /** Returns what it says it is, or its class where it can't. */
    String type() {
        return textOf(strategy::type, strategy);
    }

    /** Tells whether it is for jobs of so many items. */
    boolean isFor(int items) {
        return items <= 1 || !(strategy instanceof JobRouter);
    }

    /** Tells whether it is for jobs that have one item a zone. */
    boolean isForZones() {
        return isFor(2);
    }

    /**
     * Refuses a job that it isn't for.
     *
     * @throws PlacementRefusedException when it is for jobs of one item, and there are more
     */
    void requireFor(int items) {
        if (!isFor(items)) {
            throw new PlacementRefusedException("strategy " + type() + " is for jobs of one item, and this one has "
                    + items + "; choose another shardingStrategy, or shardingTotalCount 1");
        }
    }

    /**
     * Refuses a job that has one item a zone: what a router goes by is the job's one item.
     *
     * @throws PlacementRefusedException when it is a router
     */
    void requireForZones() {
        if (!isForZones()) {
            throw new PlacementRefusedException(
                    "strategy " + type() + " is for jobs of one item, and with scope ONE_PER_ZONE every"
                            + " zone has one; choose another shardingStrategy, or scope SINGLETON");
        }
    }

    /**
     * Asks.
     *
     * @throws PlacementRefusedException when it throws, or says what can't be
     */
    Answer place(Request request) {
        try {
            Answer answer = strategy.place(request);
            if (answer == null || answer.items() == null || answer.state() == null) { // users' code
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
        } catch (Throwable e) { // users' code
            throw new PlacementRefusedException("strategy " + type() + " threw " + textOf(e::toString, e));
        }
    }

    private static String textOf(Supplier<String> text, Object by) {
        try {
            return String.valueOf(text.get());
        } catch (Throwable e) { // users' code
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
                        "named '" + instance + "', which is none of the instances it was given");
            }
            if (placed == null) { // users' code
                throw new PlacementRefusedException("gave instance '" + instance + "' null instead of items");
            }
            for (String item : placed) {
                if (!missing.remove(item)) {
                    throw new PlacementRefusedException("placed item '" + item + "' twice, or made it up");
                }
            }
        });
        if (!missing.isEmpty()) {
            List<String> named =
                    missing.stream().sorted(ItemKeys.ORDER).limit(MOST_NAMED).toList();
            throw new PlacementRefusedException("forgot items " + named
                    + (missing.size() > MOST_NAMED ? " and " + (missing.size() - MOST_NAMED) + " more" : ""));
        }
    }
}
