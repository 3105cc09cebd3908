package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state after the events seen so far: nodes with their parsed contents, sessions, and running code. */
final class State {
    /** A node; {@code czxid} is the number of the transaction that created it. */
    record Node(String data, long session, long czxid) {}

    /**
     * Text with which a field in an instance's node begins. An instance with this field still runs items of an earlier
     * session.
     */
    private static final String UNRETURNED = "\"stillRunning\":{\"";

    private final NavigableMap<String, Node> nodes = new TreeMap<>();
    private final Set<Long> endedSessions = new HashSet<>();
    private final Map<String, JsonObject> definitions = new TreeMap<>();
    private final Map<String, Long> definedBy = new HashMap<>();
    private final Map<String, NavigableMap<Long, JsonObject>> overrides = new HashMap<>();
    private final Map<String, WrittenPlan> plans = new TreeMap<>();
    private final Map<String, Map<Item, WrittenRecord>> records = new TreeMap<>();
    private final Map<String, Claim> claims = new HashMap<>();
    private final Map<Item, Claim> latestClaims = new HashMap<>();
    private final Map<Event.RunKey, Event.Began> active = new LinkedHashMap<>();
    /** Last content of the node of every instance seen so far, by instance id. */
    private final Map<String, JsonObject> instances = new HashMap<>();
    /** Transactions that have deleted the nodes of instances, by instance id. */
    private final Map<String, Event.Transaction> instancesGone = new HashMap<>();
    /** Records and plans that the present transaction writes, by their text. Each is parsed once. */
    private final Map<String, WrittenRecord> writtenRecords = new HashMap<>();

    private final Map<String, WrittenPlan> writtenPlans = new HashMap<>();
    private @Nullable Instant calm;
    private Instant unreturned = Instant.EPOCH;
    private long epochTaken;

    /**
     * Returns the writes of records in a transaction, except the first write of each record. The transaction must not
     * have been passed to {@link #take} yet.
     */
    List<Move> moves(Event.Transaction transaction) {
        List<Move> moves = new ArrayList<>();
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write instanceof Write.Changed changed
                    ? changed.data()
                    : write instanceof Write.Created created ? created.data() : "";
            if (isRecord(parts) && !data.isEmpty()) {
                Item item = new Item(parts[2], parts[4]);
                WrittenRecord before = record(item);
                WrittenRecord next = writtenRecord(data);
                if (before != null && !(write instanceof Write.Created && beginsAnew(before, next))) {
                    moves.add(new Move(item, before, next, transaction));
                }
            }
        }
        return moves;
    }

    /** Returns whether a created record does not continue the record of the same item that a person has deleted. */
    private static boolean beginsAnew(WrittenRecord deleted, WrittenRecord created) {
        return created.replacesLost() || created.incarnation != deleted.incarnation;
    }

    /**
     * Returns the steps of a transaction. A write that ends a run and claims the next fire counts as two steps. The
     * transaction must not have been passed to {@link #take} yet.
     */
    List<Event.Transaction> steps(Event.Transaction transaction) {
        writtenRecords.clear();
        writtenPlans.clear();
        List<Write> ends = new ArrayList<>();
        List<Write> others = new ArrayList<>(transaction.writes());
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (write instanceof Write.Changed changed && isRecord(parts)) {
                Item item = new Item(parts[2], parts[4]);
                WrittenRecord before = record(item);
                JsonObject end = before == null ? null : before.endedBy(writtenRecord(changed.data()));
                if (end != null) {
                    Write.Deleted released = new Write.Deleted(item.running());
                    ends.add(new Write.Changed(write.path(), end.toString()));
                    if (others.remove(released)) {
                        ends.add(released);
                    }
                }
            }
        }
        ends.addAll(others);
        return new Event.Transaction(
                        transaction.zxid(), transaction.at(), transaction.session(), transaction.endsSession(), ends)
                .steps();
    }

    private static boolean isRecord(String[] parts) {
        return parts.length == 5 && parts[1].equals("jobs") && parts[3].equals("sharding");
    }

    void take(Event.Transaction transaction, List<Move> moves) {
        transaction.writes().forEach(write -> take(transaction, write));
        moves.forEach(move -> take(transaction, move));
        if (transaction.endsSession()) {
            endedSessions.add(transaction.session());
        }
    }

    private void take(Event.Transaction transaction, Write write) {
        String path = write.path();
        Node before = nodes.get(path);
        if (before != null && before.data().contains(UNRETURNED)) {
            unreturned = transaction.at();
        }
        if (write instanceof Write.Deleted) {
            nodes.remove(path);
            if (path.startsWith("/instances/")) {
                instancesGone.put(name(path), transaction);
            } else if (path.startsWith("/jobs/") && !deletesByHand(transaction)) {
                deleted(path.split("/", -1));
            }
            return;
        }
        if (write instanceof Write.Created created) {
            long session = created.ephemeral() ? transaction.session() : 0;
            nodes.put(path, new Node(write.data(), session, transaction.zxid()));
        } else if (before == null) {
            nodes.put(path, new Node(write.data(), 0, 0));
        } else {
            nodes.put(path, new Node(write.data(), before.session(), before.czxid()));
        }
        written(transaction, path, write.data());
    }

    private void take(Event.Transaction transaction, Move move) {
        Item item = move.item();
        records.computeIfPresent(item.job(), (job, all) -> {
            all.put(item, move.next());
            return all;
        });
        if (move.claims()) {
            WrittenPlan plan = plans.get(item.job());
            int total = plan == null || plan.numbered()
                    ? move.next().total()
                    : plan.keys().size();
            Claim claim =
                    new Claim(item, transaction.zxid(), transaction.at(), transaction.session(), move.next(), total);
            claims.put(claim.zxid() + " " + item, claim);
            latestClaims.put(item, claim);
        }
    }

    private void written(Event.Transaction transaction, String path, String data) {
        if (path.equals("/leader/epoch") && !data.isEmpty()) {
            epochTaken = transaction.zxid();
        } else if (path.startsWith("/instances/") && !data.isEmpty()) {
            instances.put(name(path), json(data));
        }
        String[] parts = path.split("/", -1);
        if (parts.length < 4 || !parts[1].equals("jobs") || data.isEmpty()) {
            return;
        }
        String job = parts[2];
        if (isRecord(parts)) {
            // no move: only later writes of the record are moves
            WrittenRecord record = writtenRecord(data);
            Map<Item, WrittenRecord> all = records.computeIfAbsent(job, key -> new TreeMap<>(State::byKey));
            all.merge(new Item(job, parts[4]), record, (known, next) -> beginsAnew(known, next) ? next : known);
        } else if (parts.length == 4) {
            switch (parts[3]) {
                case "config" -> {
                    definitions.put(job, json(data));
                    definedBy.put(job, transaction.zxid());
                }
                case "override" ->
                    overrides.computeIfAbsent(job, key -> new TreeMap<>()).put(transaction.zxid(), json(data));
                case "sharding" -> {
                    WrittenPlan plan = writtenPlan(data);
                    plans.put(job, plan);
                    records(job)
                            .entrySet()
                            .removeIf(entry -> !exists(entry.getKey().record())
                                    && (entry.getValue().incarnation != plan.incarnation
                                            || !plan.keys()
                                                    .contains(entry.getKey().key())));
                }
                default -> {} // these nodes do not affect runs
            }
        }
    }

    /**
     * Returns whether a person has deleted a record. The state then keeps the record, so that the write which restores
     * the record is a move like any other, unless it says that the record was lost.
     */
    boolean deletesByHand(Event.Transaction transaction) {
        return transaction.writes().size() == 1
                && transaction.writes().get(0) instanceof Write.Deleted deleted
                && isRecord(deleted.path().split("/", -1))
                && below("/instances").values().stream()
                        .noneMatch(instance -> instance.session() == transaction.session());
    }

    private void deleted(String[] parts) {
        if (isRecord(parts)) {
            records.getOrDefault(parts[2], Map.of()).remove(new Item(parts[2], parts[4]));
        } else if (parts.length == 4 && parts[3].equals("sharding")) {
            plans.remove(parts[2]);
        } else if (parts.length == 4 && parts[3].equals("config")) {
            definitions.remove(parts[2]);
        }
    }

    void take(Event.Began began) {
        active.put(began.run(), began);
    }

    void take(Event.Calm begins) {
        calm = begins.at();
    }

    void take(Event.Ended ended) {
        active.remove(ended.run());
    }

    void take(Event.Killed killed) {
        active.values().removeIf(began -> began.process().equals(killed.process()));
    }

    /** Returns a record that the present transaction writes. */
    WrittenRecord writtenRecord(String data) {
        return writtenRecords.computeIfAbsent(data, text -> new WrittenRecord(json(text)));
    }

    /** Returns a plan that the present transaction writes. */
    WrittenPlan writtenPlan(String data) {
        return writtenPlans.computeIfAbsent(data, text -> new WrittenPlan(json(text)));
    }

    static JsonObject json(String data) {
        return JsonParser.parseString(data).getAsJsonObject();
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static int byKey(Item a, Item b) {
        int byLength = Integer.compare(a.key().length(), b.key().length());
        return byLength != 0 ? byLength : a.key().compareTo(b.key());
    }

    // ---- queries

    @Nullable Node node(String path) {
        return nodes.get(path);
    }

    /** Returns the start of the calm phase; null if it has not started. */
    @Nullable Instant calm() {
        return calm;
    }

    boolean exists(String path) {
        return nodes.containsKey(path);
    }

    /** Returns every node below a path. */
    NavigableMap<String, Node> below(String path) {
        return nodes.subMap(path + "/", false, path + "0", false);
    }

    /** Returns the triggers that a transaction has created and that still exist. */
    Stream<JsonObject> triggers(long czxid) {
        return below("/triggers").values().stream()
                .filter(node -> node.czxid() == czxid)
                .map(node -> json(node.data()));
    }

    /** Returns whether operators have stopped a fire for an item. */
    boolean stopped(Item item, String fire) {
        return exists("/stops/" + item.job() + "~" + item.key() + "~" + fire)
                || exists("/stops/" + item.job() + "~*~" + fire);
    }

    boolean lives(long session) {
        return !endedSessions.contains(session);
    }

    Set<String> jobs() {
        return definitions.keySet();
    }

    @Nullable JsonObject definition(String job) {
        return definitions.get(job);
    }

    @Nullable WrittenPlan plan(String job) {
        return plans.get(job);
    }

    @Nullable WrittenRecord record(Item item) {
        return records.getOrDefault(item.job(), Map.of()).get(item);
    }

    Map<Item, WrittenRecord> records(String job) {
        return records.getOrDefault(job, Map.of());
    }

    /** Returns the operators' present override of a job; empty if there is none. */
    Optional<JsonObject> override(String job) {
        NavigableMap<Long, JsonObject> all = overrides.getOrDefault(job, Collections.emptyNavigableMap());
        return all.isEmpty() ? Optional.empty() : Optional.of(all.lastEntry().getValue());
    }

    /** Returns the override that a transaction has written; null if it has written none. */
    @Nullable JsonObject override(String job, long mzxid) {
        return overrides.getOrDefault(job, Collections.emptyNavigableMap()).get(mzxid);
    }

    /** Returns whether a plan was computed from the present definition and the present override of its job. */
    boolean isCurrent(String job, WrittenPlan plan) {
        NavigableMap<Long, JsonObject> all = overrides.getOrDefault(job, Collections.emptyNavigableMap());
        return plan.configMzxid() == definedBy.getOrDefault(job, 0L)
                && plan.overrideMzxid() == (all.isEmpty() ? 0 : all.lastKey());
    }

    /** Returns whether the override of a plan and all later overrides set a field to a value. */
    boolean wanted(String job, WrittenPlan plan, String field, String value) {
        NavigableMap<Long, JsonObject> all = overrides.getOrDefault(job, Collections.emptyNavigableMap());
        return plan.overrideMzxid() != 0
                && all.tailMap(plan.overrideMzxid()).values().stream()
                        .allMatch(override -> says(override, field, value));
    }

    private static boolean says(JsonObject override, String field, String value) {
        return override.has(field) && override.get(field).toString().contains(value);
    }

    /** Returns whether the override of a plan sets a field to a value. */
    boolean plannedBy(String job, WrittenPlan plan, String field, String value) {
        JsonObject override = override(job, plan.overrideMzxid());
        return override != null && says(override, field, value);
    }

    /** Returns whether the override of a plan or any later override sets a field to a value. */
    boolean everWanted(String job, WrittenPlan plan, String field, String value) {
        NavigableMap<Long, JsonObject> all = overrides.getOrDefault(job, Collections.emptyNavigableMap());
        return all.tailMap(plan.overrideMzxid()).values().stream().anyMatch(override -> says(override, field, value));
    }

    @Nullable Claim claim(Event.RunKey run) {
        return claims.get(Claim.zxid(run.token()) + " " + run.item());
    }

    @Nullable Claim latestClaim(Item item) {
        return latestClaims.get(item);
    }

    /**
     * Returns whether a process still runs items of an earlier session, or still did so after {@code shortlyBefore}.
     */
    boolean unreturned(Instant shortlyBefore) {
        return unreturned.isAfter(shortlyBefore)
                || below("/instances").values().stream()
                        .anyMatch(node -> node.data().contains(UNRETURNED));
    }

    /**
     * Returns whether the run of a claim is the present run of its item, and the session of the claim has not ended.
     */
    boolean inForce(Claim claim) {
        WrittenRecord record = record(claim.item());
        return record != null
                && record.state.equals("RUNNING")
                && record.nonce.equals(claim.record().nonce)
                && lives(claim.session());
    }

    /** Returns whether the session that claimed a run has not ended. */
    boolean holds(Event.Began began) {
        Claim claim = claim(began.run());
        return lives(claim == null ? WrittenRecord.session(began.instance()) : claim.session());
    }

    /**
     * Returns whether a session may belong to the process of an instance. The answer is false only if an instance of
     * another process is registered in this session.
     */
    boolean mayBe(String instance, long session) {
        String process = instance.substring(0, instance.lastIndexOf('@') + 1);
        String end = '@' + Long.toHexString(session);
        return below("/instances").keySet().stream()
                .filter(path -> path.endsWith(end))
                .allMatch(path -> name(path).equals(process + end.substring(1)));
    }

    /** Returns the running code. */
    Iterable<Event.Began> active() {
        return active.values();
    }

    /** Returns whether a run's code has started and has not returned. */
    boolean isActive(Event.RunKey run) {
        return active.containsKey(run);
    }

    /** Returns whether code of a job is running. */
    boolean runs(String job) {
        return active.keySet().stream().anyMatch(run -> run.item().job().equals(job));
    }

    /** Returns whether an instance is registered, or was registered at any time in the present epoch. */
    boolean livedInThisEpoch(String instance) {
        Event.Transaction gone = instancesGone.get(instance);
        return exists("/instances/" + instance) || (gone != null && gone.zxid() > epochTaken);
    }

    /**
     * Returns the last content of the node of every instance seen so far, by instance id. An instance may have ended
     * since the leader computed the plan that it writes now, so a check of that plan needs the instance's attributes
     * although the node is gone.
     */
    Map<String, JsonObject> instances() {
        return Collections.unmodifiableMap(instances);
    }

    /** Returns the last content of the node of every instance that was registered at any time since then. */
    Map<String, JsonObject> instances(Instant since) {
        Map<String, JsonObject> all = new TreeMap<>(instances);
        all.keySet().removeIf(id -> {
            Event.Transaction gone = instancesGone.get(id);
            return !exists("/instances/" + id) && (gone == null || gone.at().isBefore(since));
        });
        return all;
    }
}
