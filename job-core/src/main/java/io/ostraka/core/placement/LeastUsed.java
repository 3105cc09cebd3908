package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobRouter.Route;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Chooses the least frequently or the least recently used instance. The strategy's state maps a hash of each instance's
 * id to a positive number, such as {@code 1f2e3d4c5b6a7988:3,…}. The number is the instance's count of fires, or its
 * position in the order of the latest fires, the oldest first. An instance without an entry counts as unused.
 */
final class LeastUsed {
    /** Length of an instance id's hash, in hexadecimal digits. */
    private static final int KEY = 16;

    /** Largest number of entries in the state, calculated from the limit of the state's size. */
    private static final int ROOM = (JobShardingStrategy.MAX_STATE - 64) / (KEY + 11);

    private static final int MOST_USES = 100_000_000;

    private LeastUsed() {}

    static Route frequently(Request request) {
        return route(request, (uses, owner) -> {
            uses.merge(owner, 1, Integer::sum);
            // only differences matter. Subtracting the lowest count from all counts keeps the numbers small
            int fewest = uses.size() < request.instances().size()
                    ? 0
                    : uses.values().stream().min(Integer::compare).orElse(0);
            uses.replaceAll((instance, count) -> count - fewest);
            uses.values().removeIf(count -> count == 0);
        });
    }

    static Route recently(Request request) {
        return route(request, (uses, owner) -> {
            uses.remove(owner);
            List<String> oldestFirst = uses.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toCollection(ArrayList::new));
            oldestFirst.add(owner);
            uses.clear();
            for (String instance : oldestFirst) {
                uses.put(instance, uses.size() + 1);
            }
        });
    }

    private interface Use {
        void add(Map<String, Integer> uses, String owner);
    }

    private static Route route(Request request, Use use) {
        OncePerFire turns = OncePerFire.of(request);
        Map<String, Integer> uses = read(turns.memory(), request);
        JobInstance owner = JobRouter.owner(request).orElse(null);
        if (owner != null && turns.changed()) {
            use.add(uses, key(owner));
        }
        List<JobInstance> turned = new CurrentAssignment(request)
                .turned().stream().map(request.instances()::get).toList();
        JobInstance chosen = owner != null && !turns.changed()
                ? owner
                : turned.stream()
                        .min(Comparator.comparingInt(instance -> uses.getOrDefault(key(instance), 0)))
                        .orElseThrow();
        return new Route(chosen, turns.mark() + ' ' + written(uses));
    }

    private static String key(JobInstance instance) {
        return HexFormat.of().toHexDigits(Hashing.of(instance.id()));
    }

    /** Returns the state's entries for the instances in the request; no entries if any entry is invalid. */
    private static Map<String, Integer> read(String memory, Request request) {
        Map<String, Integer> uses = new LinkedHashMap<>();
        for (String entry : memory.isEmpty() ? new String[0] : memory.split(",", -1)) {
            int count = entry.indexOf(':') == KEY ? count(entry.substring(KEY + 1)) : 0;
            if (count <= 0) {
                return new LinkedHashMap<>();
            }
            uses.put(entry.substring(0, KEY), count);
        }
        uses.keySet().retainAll(request.instances().stream().map(LeastUsed::key).collect(Collectors.toSet()));
        return uses;
    }

    private static int count(String text) {
        try {
            return Math.min(MOST_USES, Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String written(Map<String, Integer> uses) {
        return uses.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(ROOM)
                .map(entry -> entry.getKey() + ':' + entry.getValue())
                .collect(Collectors.joining(","));
    }
}
