package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the calls of once-listeners. beforeFirst returns before any item's code starts, and afterLast is called after
 * every item has ended. The caller that the fire's node names makes each call once, and another instance becomes the
 * caller only after the named caller has ended. A call is omitted only if no living instance could make it.
 *
 * <p>A history does not show time limits, so jobs under test have once-listeners without a time limit.
 */
final class OnceListenerCalls extends Invariant {
    private static final String BEGINNING = "BEGINNING";
    private static final String CLOSING = "CLOSING";

    /**
     * Longest time after which a leader may still regard an instance as a possible caller. It also limits the duration
     * of a call in the calm phase.
     */
    private static final Duration KNOWLEDGE = Duration.ofSeconds(60);
    /** The same if the instance is in the process of the leader. */
    private static final Duration OWN_KNOWLEDGE = Duration.ofSeconds(10);

    private final Map<String, Fire> fires = new TreeMap<>();
    /**
     * Number of times that the fire's node has named the instance as the caller of this call. {@code begun} contains
     * the number of times that the instance has started the call.
     */
    private final Map<Call, Integer> named = new HashMap<>();

    private final Map<Call, Integer> begun = new HashMap<>();
    private final Set<Call> returned = new HashSet<>();
    /**
     * Time since which an instance has been able to call the once-listeners of a job, according to the instance's node.
     * The keys contain the instance and the job.
     */
    private final Map<String, Instant> able = new HashMap<>();
    /** Earlier ids of each instance's process. A restarted process may reuse the process number of its predecessor. */
    private final Map<String, Set<String>> earlierIds = new HashMap<>();

    /** Call of a once-listener by an instance. */
    private record Call(String job, String runId, boolean over, String instance) {}

    /** Fire with once-listeners, as stored in its node. */
    private record Fire(String job, String runId, String phase, @Nullable String caller, boolean ended, Instant since) {
        static @Nullable Fire of(String job, String node, String data, Instant since) {
            JsonObject json = data.isEmpty() ? new JsonObject() : State.json(data);
            JsonElement once = json.get("once");
            if (once == null || once.isJsonNull()) {
                return null;
            }
            JsonObject progress = once.getAsJsonObject();
            String runId =
                    json.has("trigger") ? node : job + "@" + progress.get("at").getAsString();
            return new Fire(
                    job,
                    runId,
                    progress.get("phase").getAsString(),
                    progress.has("caller") ? progress.get("caller").getAsString() : null,
                    json.getAsJsonArray("left").isEmpty(),
                    since);
        }

        boolean calling() {
            return phase.equals(BEGINNING) || phase.equals(CLOSING);
        }

        Call call(String instance) {
            return new Call(job, runId, phase.equals(CLOSING), instance);
        }
    }

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (parts.length == 3 && parts[1].equals("instances")) {
                instance(parts[2], write, transaction, before);
            } else if (parts.length == 5 && parts[1].equals("jobs") && parts[3].equals("fires")) {
                Fire last = fires.get(write.path());
                Fire next = Fire.of(parts[2], parts[4], write.data(), transaction.at());
                if (last != null || next != null) {
                    written(write.path(), last, next, transaction, before);
                }
            }
        }
    }

    private void instance(String id, Write write, Event.Transaction by, State before) {
        String data = write.data();
        JsonObject json = data.isEmpty() ? new JsonObject() : State.json(data);
        if (json.has("earlierIds")) {
            earlierIds.put(
                    id,
                    json.getAsJsonArray("earlierIds").asList().stream()
                            .map(JsonElement::getAsString)
                            .collect(Collectors.toSet()));
        }
        boolean working = json.has("state") && json.get("state").getAsString().equals("WORKING");
        for (String job : before.jobs()) {
            boolean can = working
                    && json.has("onceListeners")
                    && json.get("onceListeners").toString().contains('"' + job + '"');
            if (can) {
                able.putIfAbsent(id + " " + job, by.at());
            } else {
                able.remove(id + " " + job);
            }
        }
    }

    private void written(String path, @Nullable Fire last, @Nullable Fire next, Event.Transaction by, State before) {
        if (next == null) {
            fires.remove(path);
        } else {
            fires.put(path, next);
        }
        String what = last + " to " + next;
        if (last == null) {
            expect(
                    next != null && next.phase.equals(BEGINNING),
                    "a fire begins with the phase " + BEGINNING,
                    what,
                    null);
        } else if (next == null) {
            expect(
                    last.phase.equals(CLOSING) || last.phase.equals("ENDED") || removed(last.job, before),
                    "a fire's node is deleted after the call of afterLast",
                    what,
                    null);
        }
        boolean samePhase = last != null && next != null && next.phase.equals(last.phase);
        boolean nothingBegan = last != null
                && last.phase.equals(BEGINNING)
                && last.ended
                && last.caller != null
                && (!before.exists("/instances/" + last.caller) || madeNoCall(last, next));
        // an exception: if no item has started, only afterLast is called
        if (last != null && last.calling() && !samePhase && !nothingBegan && !removed(last.job, before)) {
            over(last, by, before);
        }
        if (next != null && next.phase.equals(CLOSING)) {
            expect(next.ended, "afterLast is called after all items have ended", what, null);
        }
        String caller = next == null || !next.calling() ? null : next.caller;
        String former = samePhase && last != null ? last.caller : null;
        if (next != null && caller != null && !caller.equals(former)) {
            named.merge(next.call(caller), 1, Integer::sum);
            expect(before.mayBe(caller, by.session()), "an instance names only itself as the caller", what, null);
            expect(
                    former == null || !before.exists("/instances/" + former) || isOf(former, caller),
                    "another instance becomes the caller only after the caller has ended",
                    what,
                    null);
        }
    }

    /**
     * Returns whether the caller's own process continues the fire in a later session although it has not begun the
     * call.
     */
    private boolean madeNoCall(Fire last, @Nullable Fire next) {
        return last.caller != null
                && next != null
                && next.caller != null
                && isOf(last.caller, next.caller)
                && !begun.containsKey(last.call(last.caller));
    }

    /** Checks that the call was made, or that no instance was able to make it. */
    private void over(Fire fire, Event.Transaction by, State before) {
        boolean called = fire.caller != null && returned.contains(fire.call(fire.caller));
        boolean unregistered = before.below("/instances").keySet().stream()
                .noneMatch(path -> WrittenRecord.session(State.name(path)) == by.session());
        if (called && unregistered) {
            return; // the caller writes in its next session, but registers that session only a little later
        }
        boolean byCaller = fire.caller != null
                && (WrittenRecord.session(fire.caller) == by.session()
                        || before.below("/instances").keySet().stream()
                                .map(State::name)
                                .anyMatch(id -> WrittenRecord.session(id) == by.session() && isOf(fire.caller, id)));
        // the leader in the caller's own process also learns only from reads that the process has the listeners again
        boolean canCall = able.entrySet().stream()
                .anyMatch(entry -> entry.getKey().endsWith(" " + fire.job)
                        && entry.getValue().isBefore(by.at().minus(OWN_KNOWLEDGE))
                        && WrittenRecord.session(entry.getKey()
                                        .substring(0, entry.getKey().indexOf(' ')))
                                == by.session());
        if (byCaller && (called || canCall)) { // an instance that shuts down may be the leader, and may find no caller
            expect(called, "the caller continues the fire after its call has returned", fire, null);
            return;
        }
        boolean available = able.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(" " + fire.job))
                .anyMatch(entry -> entry.getValue().isBefore(by.at().minus(KNOWLEDGE)));
        JsonObject definition = before.definition(fire.job);
        boolean wanted = definition != null && definition.has("onceListeners");
        expect(!available || !wanted, "a fire continues without a call only if no instance can make it", fire, null);
    }

    private static boolean removed(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return plan == null
                || before.override(job).map(override -> override.has("removed")).orElse(false);
    }

    /** Returns whether the first instance id is an earlier id of the second instance's process. */
    private boolean isOf(String former, String caller) {
        return earlierIds.getOrDefault(caller, Set.of()).contains(former);
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Announced announced) {
            announced(announced, before);
        } else if (event instanceof Event.Began began) {
            began(began, before);
        } else if (event instanceof Event.Over over) {
            fires.forEach((path, fire) -> expect(
                    !fire.calling() || fire.since.isAfter(over.at().minus(KNOWLEDGE)),
                    "every call has been made",
                    fire,
                    null));
        }
    }

    private void announced(Event.Announced announced, State before) {
        var call = new Call(announced.job(), announced.runId(), announced.over(), announced.instance());
        if (announced.returned()) {
            returned.add(call);
            return;
        }
        int times = begun.merge(call, 1, Integer::sum);
        expect(times <= named.getOrDefault(call, 0), "only the named caller calls, and once", announced, null);
    }

    private void began(Event.Began began, State before) {
        JsonObject definition = before.definition(began.run().item().job());
        Claim claim = before.claim(began.run());
        if (definition == null || !definition.has("onceListeners") || claim == null) {
            return;
        }
        WrittenRecord record = claim.record();
        String node = record.triggered() ? record.fire() : record.fire() + "." + record.incarnation;
        Fire fire = fires.get("/jobs/" + began.run().item().job() + "/fires/" + node);
        boolean open = fire == null
                ? !before.inForce(claim) // the fire has ended and its node was deleted
                : !fire.phase.equals(BEGINNING);
        expect(
                open,
                "no code starts before beforeFirst has returned: " + fire,
                began,
                began.run().item());
    }
}
