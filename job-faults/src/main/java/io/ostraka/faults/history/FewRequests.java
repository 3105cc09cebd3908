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
 * I6: in the calm a fire costs an instance two transactions, and nothing is read but at the look that each instance takes
 * now and then at what is its own, and the leader at everything.
 *
 * <p>However many fires there are, the number of reads is the same: so what is read for a fire shows where there are many.
 * Notifications stand in no history; {@code RequestCountTest} counts them at the client.
 */
final class FewRequests extends Invariant {
    /** How often at most. */
    private static final Duration LOOK = Duration.ofSeconds(20);
    /** How often at most the leader looks at fires that once-listeners are told of. */
    private static final Duration LOOK_AT_TOLD = Duration.ofSeconds(1);
    /** How often at most one is read to know that the session lives. */
    private static final Duration PING = Duration.ofSeconds(1);
    /** Of an item: its record, who runs it and who is to take it over, again if it is run, and whether its owner lives. */
    private static final int OF_ITEM = 5;
    /** Of a job: what stands above its items and fires. */
    private static final int OF_JOB = 6;
    /** Of an instance, or of a triggered fire that is kept. */
    private static final int OF_OTHERS = 3;

    /**
     * An item's part in a fire that once-listeners are told of costs so much more at most: its node is written by all, and who
     * is refused reads it and writes again.
     */
    private static final int TOLD = 4;

    /** The strategies that choose anew for each fire: that costs a plan's write. */
    private static final Set<String> EACH_FIRE = Set.of("ROUND", "LEAST_RECENTLY_USED");

    private final int outOfStepPercent;

    private final Map<String, Event.Requests> atFirst = new HashMap<>();
    /** Whose requests are known of a whole calm. */
    private final Set<String> told = new HashSet<>();
    /** How much each process has read in the calm. */
    private final Map<String, Long> reads = new TreeMap<>();

    /** What each session has claimed in the calm, by job. */
    private final Map<Long, Map<String, Set<ItemOfFire>>> firesOfSessions = new HashMap<>();

    /** What each session has written in the calm for fires that others run: that all look for them is one more. */
    private final Map<Long, Long> forOthers = new HashMap<>();

    /** How often in the calm a fire had ended by a leader's word, so that all look who is to tell of that. */
    private long forsaken;

    /** How often in the calm the record of an item that is parked, and that its owner watches, was written: by owner's session. */
    private final Map<Long, Long> parked = new HashMap<>();

    /** Who has read more in the calm than a follower may. */
    private final Set<String> beyondFollower = new HashSet<>();

    private final Map<String, Set<Long>> sessionsOfProcesses = new HashMap<>();

    private record ItemOfFire(String fire, String item) {}

    /**
     * Makes it.
     *
     * @param outOfStepPercent of a hundred fires so many may have an item that is late: it is claimed, and leaves, by itself
     */
    FewRequests(int outOfStepPercent) {
        this.outOfStepPercent = outOfStepPercent;
    }

    /** An item that is quarantined is taken off each fire by the leader, and whoever comes to tell of its end names itself. */
    @Override
    void transaction(Event.Transaction transaction, State before) {
        boolean runs =
                transaction.writes().stream().anyMatch(write -> write.path().endsWith("/running"));
        if (before.calm() == null || runs) {
            return;
        }
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (parts.length == 4
                    && parts[3].equals("sharding")
                    && (isRouted(parts[2], before) || changesItemCount(write, before))) {
                forOthers.merge(transaction.session(), 1L, Long::sum); // whoever is next is planned for each fire
            }
            if (parts.length == 5 && parts[3].equals("fires") && toldOnce(parts[2], before)) {
                boolean isForsaken = write instanceof Write.Changed changed
                        && changed.data().contains("\"CLOSING\"")
                        && !changed.data().contains("\"caller\"");
                forOthers.merge(transaction.session(), isForsaken ? 2L : 1L, Long::sum);
                forsaken += isForsaken ? 1 : 0;
            }
        }
    }

    /** A change of the item count that can't be made is begun, and put off, again and again. */
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
            parked.merge(WrittenRecord.session(owner), 1L, Long::sum);
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
            sessionsOfProcesses // a leader may have run nothing, and have told of nothing
                    .computeIfAbsent(health.process(), process -> new HashSet<>())
                    .add(WrittenRecord.session(health.instance()));
        } else if (event instanceof Event.Requests requests && before.calm() != null) {
            Event.Requests first = atFirst.putIfAbsent(requests.process(), requests);
            if (first != null) {
                told.add(requests.process());
                transactions(first, requests, before);
                reads(first, requests, before);
            }
        } else if (event instanceof Event.Over over) {
            over.living()
                    .forEach(process -> expect(
                            told.contains(process),
                            process + " says at the calm's beginning and end what it has asked for",
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
        // what was claimed before the calm may end in it
        expect(
                transactions
                        <= 2 * (fires + fires * outOfStepPercent / 100)
                                + TOLD * told(first.process(), before)
                                + forOthers(first.process())
                                + forsaken // whoever may tell of it tries to, and one of them does
                                + before.jobs().size(),
                "two transactions a fire in " + first.process() + ": " + transactions + " for " + fires + " fires",
                null,
                null);
    }

    private long forOthers(String process) {
        return sessionsOfProcesses.getOrDefault(process, Set.of()).stream()
                .mapToLong(session -> forOthers.getOrDefault(session, 0L))
                .sum();
    }

    /** How many items a process has claimed of fires that once-listeners are told of. */
    private long told(String process, State before) {
        return sessionsOfProcesses.getOrDefault(process, Set.of()).stream()
                .flatMap(session -> firesOfSessions.getOrDefault(session, Map.of()).entrySet().stream())
                .filter(job -> toldOnce(job.getKey(), before))
                .mapToLong(job -> job.getValue().size())
                .sum();
    }

    private static boolean isRouted(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null
                && EACH_FIRE.contains(definition.get("shardingStrategy").getAsString());
    }

    private static boolean toldOnce(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null && definition.has("onceListeners");
    }

    /** How many fires of a job those are, or items of fires where each starts by itself. */
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
     * Nobody reads more than a leader may, and but for one nobody more than a follower may. Where a leader takes parked items
     * off fires that once-listeners are told of, their owners read their records, which they watch, and all the plan, which
     * has them look at the fire.
     */
    private void reads(Event.Requests first, Event.Requests last, State before) {
        boolean atRest = before.jobs().stream()
                .allMatch(job -> Recovers.isLibrarys(job, before) && !Recovers.holdsUp(job, before));
        if (!atRest) {
            return;
        }
        Duration span = Duration.between(first.at(), last.at());
        long looks = 1 + span.dividedBy(LOOK);
        long pings = span.dividedBy(PING);
        long follower = pings;
        long leader = looks * OF_OTHERS * (1 + before.below("/instances").size());
        follower += TOLD * told(first.process(), before);
        follower += forsaken * (OF_JOB + OF_OTHERS);
        follower += OF_ITEM
                * sessionsOfProcesses.getOrDefault(first.process(), Set.of()).stream()
                        .mapToLong(session -> parked.getOrDefault(session, 0L))
                        .sum();
        for (String job : before.jobs()) {
            if (toldOnce(job, before)) { // the leader looks at its fires each time that it looks at anything
                leader += (1 + span.dividedBy(LOOK_AT_TOLD))
                        * OF_OTHERS
                        * (1 + before.records(job).size());
            }
            int fires = before.below("/jobs/" + job + "/fires").size();
            follower += looks * (OF_JOB + OF_ITEM * largestShare(before.plan(job)));
            leader += looks * (OF_JOB + OF_ITEM * before.records(job).size() + OF_OTHERS * fires);
        }
        leader += follower; // which it is as well
        long number = last.reads() - first.reads();
        reads.put(first.process(), number);
        if (number > follower) { // each by its own bound: they have not the same to do
            beyondFollower.add(first.process());
        }
        boolean one = beyondFollower.size() <= 1;
        expect(number <= leader && one, "hardly a read: " + reads + ", of a follower at most " + follower, null, null);
    }

    /** How many items of a plan one instance has at most. */
    private static long largestShare(@Nullable WrittenPlan plan) {
        Collection<String> owners = plan == null ? List.of() : plan.owners.values();
        Map<String, Long> shares = new HashMap<>();
        owners.forEach(owner -> shares.merge(owner, 1L, Long::sum));
        return shares.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
