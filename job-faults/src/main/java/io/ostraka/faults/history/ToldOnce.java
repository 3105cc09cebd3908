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
 * What once-listeners are promised: that a fire begins is told to its end before any item's code starts, that it has ended
 * only once every item has; each by whom the fire's node names, once, and by another only when that one is gone. A fire goes
 * on untold only where nobody who lives could tell of it.
 *
 * <p>A time limit is nothing that a history shows: whoever records takes listeners without one.
 */
final class ToldOnce extends Invariant {
    private static final String BEGINNING = "BEGINNING";
    private static final String CLOSING = "CLOSING";

    /** How long a leader may not know yet that there is somebody who could tell, and how long telling may take in the calm. */
    private static final Duration KNOWLEDGE = Duration.ofSeconds(60);

    private final Map<String, Fire> fires = new TreeMap<>();
    /** How often each instance was named to tell something, and how often it has begun to. */
    private final Map<Call, Integer> named = new HashMap<>();

    private final Map<Call, Integer> begun = new HashMap<>();
    private final Set<Call> returned = new HashSet<>();
    /** Since when an instance's node says that it could tell of a job. */
    private final Map<String, Instant> able = new HashMap<>();
    /** What each instance was before: a process that is started again may well have the number of the one before it. */
    private final Map<String, Set<String>> earlierIds = new HashMap<>();

    /** One instance's telling of one thing. */
    private record Call(String job, String runId, boolean over, String instance) {}

    /** A fire as its node has it. */
    private record Fire(String job, String runId, String phase, @Nullable String caller, boolean ended, Instant since) {
        static @Nullable Fire of(String job, String node, String data, Instant since) {
            JsonObject json = data.isEmpty() ? new JsonObject() : State.json(data);
            JsonElement once = json.get("once");
            if (once == null || once.isJsonNull()) {
                return null;
            }
            JsonObject told = once.getAsJsonObject();
            String runId =
                    json.has("trigger") ? node : job + "@" + told.get("at").getAsString();
            return new Fire(
                    job,
                    runId,
                    told.get("phase").getAsString(),
                    told.has("caller") ? told.get("caller").getAsString() : null,
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
                Fire next = Fire.of(parts[2], parts[4], data(write), transaction.at());
                if (last != null || next != null) {
                    written(write.path(), last, next, transaction, before);
                }
            }
        }
    }

    private static String data(Write write) {
        if (write instanceof Write.Created created) {
            return created.data();
        }
        return write instanceof Write.Changed changed ? changed.data() : "";
    }

    private void instance(String id, Write write, Event.Transaction by, State before) {
        String data = data(write);
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
            expect(next != null && next.phase.equals(BEGINNING), "a fire is told to begin first", what, null);
        } else if (next == null) {
            expect(
                    last.phase.equals(CLOSING) || last.phase.equals("ENDED") || removed(last.job, before),
                    "a fire whose end is to be told isn't forgotten before",
                    what,
                    null);
        }
        boolean samePhase = last != null && next != null && next.phase.equals(last.phase);
        boolean nothingBegan = last != null
                && last.phase.equals(BEGINNING)
                && last.ended
                && last.caller != null
                && !before.exists("/instances/" + last.caller); // of what has ended the end alone is told
        if (last != null && last.calling() && !samePhase && !nothingBegan && !removed(last.job, before)) {
            over(last, by, before);
        }
        if (next != null && next.phase.equals(CLOSING)) {
            expect(next.ended, "an end is told once all have ended", what, null);
        }
        String caller = next == null || !next.calling() ? null : next.caller;
        String former = samePhase && last != null ? last.caller : null;
        if (next != null && caller != null && !caller.equals(former)) {
            named.merge(next.call(caller), 1, Integer::sum);
            expect(before.mayBe(caller, by.session()), "nobody names another to tell", what, null);
            expect(
                    former == null || !before.exists("/instances/" + former) || isOf(former, caller),
                    "nobody takes the place of one who is there",
                    what,
                    null);
        }
    }

    /** What was to be told has been, or nobody could. */
    private void over(Fire fire, Event.Transaction by, State before) {
        boolean told = fire.caller != null && returned.contains(fire.call(fire.caller));
        boolean byCaller = fire.caller != null
                && (WrittenRecord.session(fire.caller) == by.session()
                        || before.below("/instances").keySet().stream()
                                .map(State::name)
                                .anyMatch(id -> WrittenRecord.session(id) == by.session() && isOf(fire.caller, id)));
        boolean canTell = able.keySet().stream()
                .anyMatch(key -> key.endsWith(" " + fire.job)
                        && WrittenRecord.session(key.substring(0, key.indexOf(' '))) == by.session());
        if (byCaller && (told || canTell)) { // one that closes may lead, and find that nobody could
            expect(told, "who tells goes on when it has", fire, null);
            return;
        }
        boolean somebody = able.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(" " + fire.job))
                .anyMatch(entry -> entry.getValue().isBefore(by.at().minus(KNOWLEDGE)));
        JsonObject definition = before.definition(fire.job);
        boolean wanted = definition != null && definition.has("onceListeners");
        expect(!somebody || !wanted, "a fire goes on untold only where nobody could tell", fire, null);
    }

    private static boolean removed(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return plan == null
                || before.override(job).map(override -> override.has("removed")).orElse(false);
    }

    /** Whether an instance is of the process that another was of. */
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
                    "all that was to be told has been",
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
        expect(times <= named.getOrDefault(call, 0), "who is named tells, and once", announced, null);
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
                ? !before.inForce(claim) // of a fire that is over, and forgotten
                : !fire.phase.equals(BEGINNING);
        expect(
                open,
                "no code starts before it is told that its fire begins: " + fire,
                began,
                began.run().item());
    }
}
