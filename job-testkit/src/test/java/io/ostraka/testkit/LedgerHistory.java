package io.ostraka.testkit;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.core.coordination.NodeOp;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Everything that was ever written about jobs, checked as it is written: the invariants I2 and I4 of the protocol, and
 * that each claim and each change of the item count is one that the rules allow. Jobs have a fixed rate or none.
 */
final class LedgerHistory {
    /** A claim in the ledger: who may run what. */
    record Claim(boolean triggered, int total, int attempt, String owner) {}

    private final Map<String, JsonObject> definitions = new HashMap<>();
    /** What operators wanted, by job and transaction. */
    private final Map<String, NavigableMap<Long, JsonObject>> overrides = new HashMap<>();

    private final Map<String, WrittenPlan> plans = new HashMap<>();
    private final Map<String, WrittenRecord> records = new TreeMap<>();
    private final Map<String, JsonObject> fires = new TreeMap<>();
    private final Map<String, Long> latestClaims = new HashMap<>();
    private final Map<String, Claim> claims = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private final Map<String, String> ends = new HashMap<>();
    private final Map<String, String> endsOfClaims = new HashMap<>();
    private final List<String> violations = new ArrayList<>();

    /** Takes a transaction that was carried out. */
    void add(InMemoryCoordination.Transaction transaction) {
        Map<String, String> writes = new TreeMap<>();
        for (NodeOp operation : transaction.operations()) {
            if (operation instanceof NodeOp.Create create) {
                writes.put(create.path(), new String(create.data(), StandardCharsets.UTF_8));
            } else if (operation instanceof NodeOp.Set set) {
                writes.put(set.path(), new String(set.data(), StandardCharsets.UTF_8));
            }
        }
        Map<String, WrittenRecord> before = Map.copyOf(records);
        writes.forEach((path, data) -> {
            String[] parts = path.split("/", -1);
            if (parts.length < 4 || !parts[1].equals("jobs") || data.isEmpty()) {
                return;
            }
            String job = parts[2];
            switch (parts[3] + (parts.length - 4)) {
                case "config0" -> definitions.put(job, json(data));
                case "override0" ->
                    overrides.computeIfAbsent(job, key -> new TreeMap<>()).put(transaction.zxid(), json(data));
                case "sharding0" -> plans.put(job, new WrittenPlan(json(data)));
                case "sharding1" -> record(transaction.zxid(), job, parts[4], new WrittenRecord(json(data)), before);
                case "fires1" -> fires.put(job + "/" + parts[4], json(data));
                default -> {} // says nothing of what is run
            }
        });
    }

    private static JsonObject json(String data) {
        return JsonParser.parseString(data).getAsJsonObject();
    }

    private void record(long zxid, String job, String item, WrittenRecord next, Map<String, WrittenRecord> allBefore) {
        String key = job + "/" + item;
        WrittenRecord before = records.put(key, next);
        if (before == null) {
            return;
        }
        if (next.incarnation() != before.incarnation()) {
            rewrite(job, key, before, next, allBefore);
        } else if (next.state().equals("RUNNING") && !next.nonce().equals(before.nonce())) {
            claim(zxid, job, item, before, next);
        } else if (before.unfinished() && !next.unfinished()) {
            end(job, key, before, next);
        }
        boolean back = next.cursor().isBefore(before.cursor()) && next.incarnation() == before.incarnation();
        expect("the cursor never goes back", !back, key, before, next);
    }

    private void claim(long zxid, String job, String item, WrittenRecord before, WrittenRecord next) {
        String key = job + "/" + item;
        String identity = identity(key, next);
        WrittenPlan plan = plans.get(job);
        latestClaims.put(key, zxid);
        claims.put(key + " " + zxid, new Claim(next.triggered(), next.total(), next.attempt(), next.owner()));
        expect("what has ended never begins again", !ends.containsKey(identity), identity, before, next);
        expect(
                "the plan's owner claims",
                plan.owner(item).filter(next.owner()::equals).isPresent(),
                key,
                before,
                next);
        expect("the record is of the plan's incarnation", next.incarnation() == plan.incarnation(), key, before, next);
        if (next.attempt() == 1) {
            expect("a fire begins once", begun.add(identity), identity, before, next);
            expect("one fire follows the other", !before.unfinished(), key, before, next);
            expect("a fire has the plan's total", next.total() == plan.total(), key, before, next);
            expect("nothing disabled begins", !wanted(job, plan, "disabledItems", item), key, before, next);
            if (!next.triggered()) {
                expect("no scheduled fire begins under a closed plan", !plan.closed(), key, before, next);
                expect(
                        "no scheduled fire begins while paused",
                        !wanted(job, plan, "paused", "true"),
                        key,
                        before,
                        next);
                everyFireIsAccountedFor(plan, identity, before, next);
            }
        } else {
            boolean goesOn = before.unfinished() && before.fire().equals(next.fire());
            expect("a later attempt goes on with the fire", goesOn, identity, before, next);
            expect("attempts are counted", next.attempt() == before.attempt() + 1, identity, before, next);
            expect("a fire keeps its total", next.total() == before.total(), identity, before, next);
        }
    }

    /** Whether operators have wanted something ever since the plan was made. */
    private boolean wanted(String job, WrittenPlan plan, String field, String value) {
        return plan.overrideMzxid() != 0
                && overrides.get(job).tailMap(plan.overrideMzxid()).values().stream()
                        .allMatch(override -> override.get(field).toString().contains(value));
    }

    /** I4: what lies between the cursor and the fire that is run stands in the record, with its reason. */
    private void everyFireIsAccountedFor(WrittenPlan plan, String identity, WrittenRecord before, WrittenRecord next) {
        Instant from = before.cursor().isBefore(plan.since()) ? plan.since() : before.cursor();
        boolean all = plan.fires(from, next.fireTime()) == next.leftOut() + 1;
        expect("every fire after " + from + " is run or left out", all, identity, before, next);
    }

    private void end(String job, String key, WrittenRecord before, WrittenRecord next) {
        String other = ends.put(identity(key, next), next.outcome());
        expect("a fire ends once, not " + other + " too", other == null, identity(key, next), before, next);
        boolean parked = next.state().equals("QUARANTINED");
        int most = definitions.get(job).get("maxAttempts").getAsInt();
        boolean deadly = next.outcome().equals("CRASHED") && before.crashes() + 1 == most;
        expect("an item is parked once it has killed " + most, parked == deadly, key, before, next);
        endsOfClaims.put(key + " " + latestClaims.get(key), next.outcome());
    }

    /**
     * A change of the item count loses no fire that any item has yet to decide; with failover off it begins none again
     * that any item has decided.
     */
    private void rewrite(
            String job, String key, WrittenRecord before, WrittenRecord next, Map<String, WrittenRecord> allBefore) {
        boolean removed = plans.get(job).total() == 0;
        boolean abandoned = removed && "INTERRUPTED".equals(next.outcome());
        boolean still = before.unfinished() && !abandoned;
        expect("nothing moves to another count before it has ended", !still, key, before, next);
        if (removed) {
            return; // what its fires were is history
        }
        boolean failover = definitions.get(job).get("failover").getAsBoolean();
        NavigableMap<Long, JsonObject> wanted = overrides.getOrDefault(job, Collections.emptyNavigableMap());
        String disabled = wanted.isEmpty()
                ? ""
                : wanted.lastEntry().getValue().get("disabledItems").toString();
        allBefore.forEach((other, record) -> {
            boolean counts = other.startsWith(job + "/")
                    && !List.of("RETIRED", "QUARANTINED").contains(record.state())
                    && record.incarnation() == before.incarnation()
                    && !disabled.contains('"' + other.substring(job.length() + 1) + '"');
            boolean kept = failover
                    ? !next.cursor().isAfter(record.cursor())
                    : !next.cursor().isBefore(record.cursor());
            expect("the cursor of " + other + " counts, " + record, !counts || kept, key, before, next);
        });
    }

    private void expect(String what, boolean holds, String whose, WrittenRecord before, WrittenRecord next) {
        if (!holds) {
            violations.add(whose + ": not so: " + what + ": " + before.json() + " to " + next.json());
        }
    }

    /** A fire of an item of one incarnation; a trigger's fire is one whatever the incarnation. */
    private static String identity(String key, WrittenRecord record) {
        return key + " of fire " + record.fire() + (record.triggered() ? "" : "/" + record.incarnation());
    }

    /** Returns the claim that a transaction made for an item; null if it made none. */
    Claim claim(long zxid, String job, String item) {
        return claims.get(job + "/" + item + " " + zxid);
    }

    /** Returns how what a transaction claimed for an item has ended; null if it has not, or under another claim. */
    String endOf(long zxid, String job, String item) {
        return endsOfClaims.get(job + "/" + item + " " + zxid);
    }

    /** Returns the states of a job's items as last written, by item. */
    Map<String, String> states(String job) {
        Map<String, String> states = new TreeMap<>();
        records.forEach((key, record) -> {
            if (key.startsWith(job + "/")) {
                states.put(key.substring(job.length() + 1), record.state());
            }
        });
        return states;
    }

    /** Returns how each item that was run in a trigger's fire ended, by item. */
    Map<String, String> outcomes(String job, String runId) {
        Map<String, String> outcomes = new TreeMap<>();
        ends.forEach((identity, outcome) -> {
            if (identity.startsWith(job + "/") && identity.endsWith(" of fire " + runId)) {
                outcomes.put(identity.substring(job.length() + 1, identity.indexOf(' ')), outcome);
            }
        });
        return outcomes;
    }

    /** Returns the plan of a job as last written. */
    WrittenPlan plan(String job) {
        return plans.get(job);
    }

    /** Returns the progress of triggered fires as last written, by job and fire. */
    Map<String, JsonObject> fires() {
        return fires;
    }

    /** Returns what was found wrong so far. */
    List<String> violations() {
        return violations;
    }

    /** Returns a transaction for people. */
    static String text(InMemoryCoordination.Transaction transaction) {
        StringBuilder text = new StringBuilder("0x" + Long.toHexString(transaction.zxid()) + " of session 0x"
                + Long.toHexString(transaction.session()) + (transaction.endsSession() ? ", its end:" : ":"));
        for (NodeOp operation : transaction.operations()) {
            text.append(' ')
                    .append(operation.getClass().getSimpleName())
                    .append(' ')
                    .append(operation.path());
            if (operation instanceof NodeOp.Create create) {
                text.append(' ').append(new String(create.data(), StandardCharsets.UTF_8));
            } else if (operation instanceof NodeOp.Set set) {
                text.append(' ').append(new String(set.data(), StandardCharsets.UTF_8));
            }
        }
        return text.toString();
    }
}
