package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks I6: in the calm phase, a fire costs an instance at most two transactions. Instances read only in their
 * periodic full resync: each instance reads the nodes of its own items, and the leader reads all nodes.
 *
 * <p>The bound on reads does not depend on the number of fires, so a history with many fires exceeds the bound if each
 * fire causes reads. A history does not contain watch notifications; {@code RequestCountTest} counts these at the
 * client.
 */
final class FewRequests extends Invariant {
    /** Shortest interval of the full resync. */
    private static final Duration RESYNC = Duration.ofSeconds(20);
    /** Shortest interval at which the leader reads the fires of jobs with once-listeners. */
    private static final Duration FIRES_RESYNC = Duration.ofSeconds(1);
    /** Shortest interval of the reads that check whether the session still exists. */
    private static final Duration PING = Duration.ofSeconds(1);
    /**
     * Largest number of reads for each item: its record, its running node, its failover node, the owner's registration,
     * and one more read if the item runs.
     */
    private static final int OF_ITEM = 5;
    /** Number of reads for each job, apart from its items and fires: the nodes above these. */
    private static final int OF_JOB = 6;
    /** Number of reads for each instance, and for each node of a fire. */
    private static final int OF_OTHERS = 3;

    /**
     * Largest number of extra requests for each item in a fire with once-listeners. All owners write the fire's node;
     * an owner whose write was refused reads the node and writes it again.
     */
    private static final int ONCE_LISTENED = 4;

    /** Strategies with which the leader writes a new plan for each fire. */
    private static final Set<String> EACH_FIRE = Set.of("ROUND", "LEAST_RECENTLY_USED");

    private final int outOfStepPercent;

    private final Map<String, Event.Requests> atFirst = new HashMap<>();
    /** Processes whose request counts are known for both the start and the end of the calm phase. */
    private final Set<String> recorded = new HashSet<>();
    /** Reads of each process in the calm phase. */
    private final Map<String, Long> reads = new TreeMap<>();

    /** Items that each session has claimed in the calm phase, by session and job. */
    private final Map<Long, Map<String, Set<ItemOfFire>>> firesOfSessions = new HashMap<>();

    /**
     * Number of writes of each session in the calm phase that do not serve its own runs: for the fires of other
     * instances, for plans, and for the instance's own health digest.
     */
    private final Map<Long, Long> forOthers = new HashMap<>();

    /**
     * Number of fires in the calm phase that the leader closed without naming a caller. For each of them, every
     * instance tries to become the caller of afterLast.
     */
    private long withoutCaller;

    /**
     * Number of writes in the calm phase to records of quarantined items, by the session of the owner. The owner
     * watches these records, so each write causes reads.
     */
    private final Map<Long, Long> quarantinedWrites = new HashMap<>();

    /** Processes with more reads in the calm phase than a follower may have. */
    private final Set<String> beyondFollower = new HashSet<>();

    private final Map<String, Set<Long>> sessionsOfProcesses = new HashMap<>();

    private record ItemOfFire(String fire, String item) {}

    /**
     * Creates the invariant.
     *
     * @param outOfStepPercent number of fires per hundred that may have a late item. A late item needs transactions of
     *     its own for its claim and its completion
     */
    FewRequests(int outOfStepPercent) {
        this.outOfStepPercent = outOfStepPercent;
    }

    /**
     * Counts the writes that do not serve an instance's runs of its own items. The leader writes plans and alarms, and
     * removes quarantined items from each fire. The instance that calls afterLast writes its id. Each instance
     * publishes its health digest.
     */
    @Override
    void transaction(Event.Transaction transaction, State before) {
        boolean runs =
                transaction.writes().stream().anyMatch(write -> write.path().endsWith("/running"));
        if (before.calm() == null || runs) {
            return;
        }
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            boolean alarms = parts[1].equals("alarms") && !(write instanceof Write.Created); // created and set at once
            if (parts[1].equals("health") || alarms) {
                forOthers.merge(transaction.session(), 1L, Long::sum);
            }
            if (parts.length == 4
                    && parts[3].equals("sharding")
                    && (isRouted(parts[2], before) || changesItemCount(write, before))) {
                forOthers.merge(transaction.session(), 1L, Long::sum); // each fire of such a job needs a new plan
            }
            if (parts.length == 4 && parts[3].equals("sharding") && movesByLoad(parts[2], write, before)) {
                forOthers.merge(transaction.session(), 1L, Long::sum);
                // an instance that gets an item while a fire is due claims this item apart from its other items
                State.json(((Write.Changed) write).data()).getAsJsonObject("items").keySet().stream()
                        .map(WrittenRecord::session)
                        .forEach(owner -> forOthers.merge(owner, 2L, Long::sum));
            }
            if (parts.length == 5 && parts[3].equals("fires") && hasOnceListeners(parts[2], before)) {
                boolean hasNoCaller = write instanceof Write.Changed changed
                        && changed.data().contains("\"CLOSING\"")
                        && !changed.data().contains("\"caller\"");
                forOthers.merge(transaction.session(), hasNoCaller ? 2L : 1L, Long::sum);
                withoutCaller += hasNoCaller ? 1 : 0;
            }
        }
    }

    /**
     * Returns whether a write begins or postpones a change of the item count. If the leader cannot make the change yet,
     * it postpones the change and begins it again later.
     */
    private static boolean changesItemCount(Write write, State before) {
        State.Node plan = before.node(write.path());
        if (plan == null || !(write instanceof Write.Changed changed)) {
            return false;
        }
        JsonObject was = State.json(plan.data());
        JsonObject is = State.json(changed.data());
        return !Objects.equals(was.get("change"), is.get("change"))
                || !Objects.equals(was.get("retryChangeAt"), is.get("retryChangeAt"));
    }

    @Override
    void move(Move move, State before) {
        if (move.claims() && before.calm() != null) {
            firesOfSessions
                    .computeIfAbsent(move.by().session(), session -> new HashMap<>())
                    .computeIfAbsent(move.item().job(), job -> new HashSet<>())
                    .add(new ItemOfFire(move.next().fire(), move.item().key()));
        }
        WrittenPlan plan = before.plan(move.item().job());
        String owner = plan == null ? null : plan.owners.get(move.item().key());
        if (before.calm() != null && owner != null && move.before().state.equals("QUARANTINED")) {
            quarantinedWrites.merge(WrittenRecord.session(owner), 1L, Long::sum);
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            sessionsOfProcesses
                    .computeIfAbsent(began.process(), process -> new HashSet<>())
                    .add(WrittenRecord.session(began.instance()));
        } else if (event instanceof Event.Announced announced) {
            sessionsOfProcesses
                    .computeIfAbsent(announced.process(), process -> new HashSet<>())
                    .add(WrittenRecord.session(announced.instance()));
        } else if (event instanceof Event.Health health && health.instance() != null) {
            sessionsOfProcesses // needed for a leader that has run no item and called no listener
                    .computeIfAbsent(health.process(), process -> new HashSet<>())
                    .add(WrittenRecord.session(health.instance()));
        } else if (event instanceof Event.Requests requests && before.calm() != null) {
            Event.Requests first = atFirst.putIfAbsent(requests.process(), requests);
            if (first != null) {
                recorded.add(requests.process());
                transactions(first, requests, before);
                reads(first, requests, before);
            }
        } else if (event instanceof Event.Over over) {
            over.living()
                    .forEach(process -> expect(
                            recorded.contains(process),
                            process + " records its requests at start and end of the calm",
                            "not recorded twice",
                            null));
        }
    }

    private void transactions(Event.Requests first, Event.Requests last, State before) {
        long fires = sessionsOfProcesses.getOrDefault(first.process(), Set.of()).stream()
                .flatMap(session -> firesOfSessions.getOrDefault(session, Map.of()).entrySet().stream())
                .mapToLong(job -> number(job.getKey(), job.getValue(), last.places(), before))
                .sum();
        long transactions = last.transactions() - first.transactions();
        // a fire that was claimed before the calm phase may end during the calm phase
        expect(
                transactions
                        <= 2 * (fires + fires * outOfStepPercent / 100)
                                + ONCE_LISTENED * onceListened(first.process(), before)
                                + forOthers(first.process())
                                + withoutCaller // every instance tries to become the caller, but only one succeeds
                                + before.jobs().size(),
                "at most two transactions a fire in " + first.process() + ": " + transactions + " for " + fires
                        + " fires",
                null,
                null);
    }

    private long forOthers(String process) {
        return sessionsOfProcesses.getOrDefault(process, Set.of()).stream()
                .mapToLong(session -> forOthers.getOrDefault(session, 0L))
                .sum();
    }

    /** Returns the number of items that a process has claimed for fires with once-listeners. */
    private long onceListened(String process, State before) {
        return sessionsOfProcesses.getOrDefault(process, Set.of()).stream()
                .flatMap(session -> firesOfSessions.getOrDefault(session, Map.of()).entrySet().stream())
                .filter(job -> hasOnceListeners(job.getKey(), before))
                .mapToLong(job -> job.getValue().size())
                .sum();
    }

    /** Returns whether a write of a plan moves items because the loads of the instances have changed. */
    private static boolean movesByLoad(String job, Write write, State before) {
        State.Node plan = before.node("/jobs/" + job + "/sharding");
        JsonObject definition = before.definition(job);
        return plan != null
                && write instanceof Write.Changed changed
                && definition != null
                && definition.get("shardingStrategy").getAsString().equals("LOAD_AWARE")
                && !Objects.equals(
                        State.json(plan.data()).get("items"),
                        State.json(changed.data()).get("items"));
    }

    private static boolean isRouted(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null
                && EACH_FIRE.contains(definition.get("shardingStrategy").getAsString());
    }

    private static boolean hasOnceListeners(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null && definition.has("onceListeners");
    }

    /**
     * Returns the number of claimed fires of a job. If each item is claimed in a transaction of its own, returns the
     * number of claimed items instead.
     */
    private static long number(String job, Set<ItemOfFire> claimed, int places, State before) {
        WrittenPlan plan = before.plan(job);
        JsonObject definition = before.definition(job);
        long items = before.jobs().stream()
                .mapToLong(each -> before.records(each).size())
                .sum();
        boolean apart = items > places
                || (definition != null && definition.has("concurrency"))
                || (plan != null
                        && (plan.schedule.isPause() || !plan.schedule.jitter().isZero()));
        return apart
                ? claimed.size()
                : claimed.stream().map(ItemOfFire::fire).distinct().count();
    }

    /**
     * Checks that no process exceeds the limit of reads for a leader, and that at most one process exceeds the limit
     * for a follower. The limits include the reads after the leader removes quarantined items from fires with
     * once-listeners: the owners of these items read the watched records, and every instance reads the plan and then
     * the fire.
     */
    private void reads(Event.Requests first, Event.Requests last, State before) {
        boolean atRest = before.jobs().stream()
                .allMatch(job -> Recovers.isBuiltIn(job, before) && !Recovers.isBlocked(job, before));
        if (!atRest) {
            return;
        }
        Duration span = Duration.between(first.at(), last.at());
        long looks = 1 + span.dividedBy(RESYNC);
        long pings = span.dividedBy(PING);
        long follower = pings;
        long leader = looks * OF_OTHERS * (1 + before.below("/instances").size());
        follower += ONCE_LISTENED * onceListened(first.process(), before);
        follower += withoutCaller * (OF_JOB + OF_OTHERS);
        follower += OF_ITEM
                * sessionsOfProcesses.getOrDefault(first.process(), Set.of()).stream()
                        .mapToLong(session -> quarantinedWrites.getOrDefault(session, 0L))
                        .sum();
        for (String job : before.jobs()) {
            if (hasOnceListeners(job, before)) { // the leader reads these fires each time it checks the job
                leader += (1 + span.dividedBy(FIRES_RESYNC))
                        * OF_OTHERS
                        * (1 + before.records(job).size());
            }
            int fires = before.below("/jobs/" + job + "/fires").size();
            follower += looks * (OF_JOB + OF_ITEM * largestShare(before.plan(job)));
            leader += looks * (OF_JOB + OF_ITEM * before.records(job).size() + OF_OTHERS * fires);
        }
        leader += follower; // the leader also makes the reads of a follower
        long number = last.reads() - first.reads();
        reads.put(first.process(), number);
        if (number > follower) { // each process has a bound of its own, because the processes have different items
            beyondFollower.add(first.process());
        }
        boolean one = beyondFollower.size() <= 1;
        expect(number <= leader && one, "few reads: " + reads + ", of a follower at most " + follower, null, null);
    }

    /** Returns the largest number of items that one owner has in a plan. */
    private static long largestShare(@Nullable WrittenPlan plan) {
        Collection<String> owners = plan == null ? List.of() : plan.owners.values();
        Map<String, Long> shares = new HashMap<>();
        owners.forEach(owner -> shares.merge(owner, 1L, Long::sum));
        return shares.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
