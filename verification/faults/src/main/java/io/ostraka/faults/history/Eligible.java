package io.ostraka.faults.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The instances that are allowed to own the items of a job, according to the contents of the nodes. This class also
 * checks that the job's plan leaves no item unplaced while one of these instances has capacity.
 */
final class Eligible {
    private final JsonObject definition;
    /** Ids of the instances that may own items. */
    private final Set<String> all = new TreeSet<>();
    /** The preferred instances among {@link #all}. If the job has no preference, these are all instances. */
    private final Set<String> preferred = new TreeSet<>();

    private Eligible(JsonObject definition) {
        this.definition = definition;
    }

    static Eligible of(String job, State state) {
        JsonObject definition = state.definition(job);
        if (definition == null) {
            throw new IllegalArgumentException("no job " + job);
        }
        var eligible = new Eligible(definition);
        WrittenPlan other = yieldsTo(job, state).map(state::plan).orElse(null);
        Set<String> apart = other == null ? Set.of() : Set.copyOf(other.owners.values());
        state.below("/instances").forEach((path, node) -> {
            JsonObject json = State.json(node.data());
            String id = State.name(path);
            boolean takes = json.get("state").getAsString().equals("WORKING")
                    && !json.get("clockAhead").getAsBoolean()
                    && hosts(json, job);
            if (takes && !isDisabled(job, json, state) && !apart.contains(id) && isRequired(definition, id, state)) {
                eligible.all.add(id);
                if (isPreferred(definition, id, state)) {
                    eligible.preferred.add(id);
                }
            }
        });
        return eligible;
    }

    private static boolean hosts(JsonObject instance, String job) {
        JsonArray hosted = instance.getAsJsonArray("jobs");
        return instance.has("jobsGzip") || (hosted != null && hosted.contains(new JsonPrimitive(job)));
    }

    /** Returns whether an instance is shutting down. Unlike a drained instance, it no longer hosts jobs. */
    static boolean isLeaving(JsonObject instance) {
        return instance.get("state").getAsString().equals("DRAINING")
                && !instance.has("jobsGzip")
                && instance.getAsJsonArray("jobs").isEmpty();
    }

    /**
     * Returns whether operators have disabled an instance for a job. They may have named the instance by its host, by
     * its id, or by an earlier id of its process.
     */
    static boolean isDisabled(String job, JsonObject instance, State state) {
        JsonObject wish = state.override(job).orElse(null);
        JsonArray disabled = wish == null ? null : wish.getAsJsonArray("disabledInstances");
        if (disabled == null) {
            return false;
        }
        JsonObject self = instance.getAsJsonObject("self");
        return disabled.contains(self.get("host"))
                || disabled.contains(self.get("id"))
                || instance.getAsJsonArray("earlierIds").asList().stream().anyMatch(disabled::contains);
    }

    /** Returns whether an instance, which may have ended, matches the job's requirement. */
    static boolean isRequired(JsonObject definition, String instance, State state) {
        return meant(definition, "requiredInstances", state.instances().get(instance));
    }

    /** Returns whether an instance, which may have ended, is preferred by the job. */
    static boolean isPreferred(JsonObject definition, String instance, State state) {
        return meant(definition, "preferredInstances", state.instances().get(instance));
    }

    /**
     * Returns whether the expression in a field of the job's definition matches an instance. If the field is missing,
     * every instance matches.
     */
    private static boolean meant(JsonObject definition, String field, @Nullable JsonObject instance) {
        return !definition.has(field)
                || (instance != null
                        && InstanceExpression.matches(
                                definition.get(field).getAsString(), instance.getAsJsonObject("self")));
    }

    /**
     * Returns the job whose instances this job avoids. Returns empty if this job avoids none. If jobs avoid each other
     * in a cycle, the first of them by name avoids no other job.
     */
    static Optional<String> yieldsTo(String job, State state) {
        Optional<String> other = named(job, state);
        Set<String> ring = new TreeSet<>();
        Optional<String> next = other;
        while (next.isPresent() && ring.add(next.get())) {
            next = named(next.get(), state);
        }
        boolean first = ring.contains(job) && job.equals(ring.iterator().next());
        return first ? Optional.empty() : other;
    }

    private static Optional<String> named(String job, State state) {
        JsonObject definition = state.definition(job);
        return definition != null && definition.has("antiAffinity")
                ? Optional.of(definition.get("antiAffinity").getAsString())
                : Optional.empty();
    }

    Set<String> all() {
        return all;
    }

    /** Returns the maximum number of the job's items that one instance may own. */
    static long most(JsonObject definition) {
        return definition.has("maxItemsPerInstance")
                ? definition.get("maxItemsPerInstance").getAsLong()
                : Integer.MAX_VALUE;
    }

    static boolean isStatic(JsonObject definition) {
        return definition.has("staticSharding")
                && definition.get("staticSharding").getAsBoolean();
    }

    /** Returns a placement rule that a plan breaks in the calm phase. Returns empty if the plan breaks none. */
    Optional<String> objection(WrittenPlan plan) {
        Set<String> unplaced = new HashSet<>(plan.keys());
        unplaced.removeAll(plan.owners.keySet());
        if (!all.containsAll(plan.owners.values())) {
            return Optional.of("only eligible instances own items, " + all);
        }
        if (!plan.unplaced().keySet().equals(unplaced)) {
            return Optional.of("the plan has a reason for each unplaced item, " + unplaced);
        }
        Map<String, Integer> counts = new HashMap<>();
        plan.owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        long most = most(definition);
        Set<String> free =
                all.stream().filter(id -> counts.getOrDefault(id, 0) < most).collect(Collectors.toSet());
        if (isStatic(definition)) {
            boolean omitted = unplaced.stream().anyMatch(item -> {
                String home = plan.awaited().get(item);
                return home == null ? !free.isEmpty() : free.stream().anyMatch(id -> host(id).equals(home));
            });
            return omitted ? Optional.of("an item is on its host if that has capacity, " + free) : Optional.empty();
        }
        if (!unplaced.isEmpty() && !free.isEmpty()) {
            return Optional.of("no item is unplaced while an instance has capacity, " + free);
        }
        boolean abroad = !preferred.containsAll(plan.owners.values());
        return abroad && free.stream().anyMatch(preferred::contains)
                ? Optional.of("items are on preferred instances while these have capacity, " + preferred)
                : Optional.empty();
    }

    /** Returns the host that an instance's id contains. */
    static String host(String id) {
        return id.substring(0, id.lastIndexOf('@', id.lastIndexOf('@') - 1));
    }
}
