package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.worker.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time that items took to continue after faults, and compares it with the stated bounds. All times are
 * reported as measured; {@link Obstacles} only decides which bound applies.
 *
 * <p><b>After a kill</b>, each item that the process had claimed continues within the sum of the session timeout, a
 * tick and {@link #AFTER_EXPIRY}. If there was an obstacle, the time is measured from the end of the obstacle. Every
 * interrupted item continues within {@link #WHATEVER_BEFELL}, regardless of the faults. The items of {@link
 * Workload#CROWDED} are an exception: they wait while no instance has capacity.
 *
 * <p><b>After an outage</b> of all servers, each item of every scheduled job runs again within {@link #AFTER_OUTAGE}
 * plus one period of its job, unless there was an obstacle.
 *
 * <p><b>After the end of the last fault</b>, each item of every scheduled job begins a fire that came due after that
 * end, and does so within {@link #ON_SCHEDULE}.
 */
final class Recoveries {
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);
    static final Duration TICK = Duration.ofMillis(200);
    static final Duration AFTER_EXPIRY = Duration.ofSeconds(3);
    static final Duration WHATEVER_BEFELL = Duration.ofSeconds(30);
    static final Duration AFTER_OUTAGE = Duration.ofSeconds(5);
    static final Duration ON_SCHEDULE = Duration.ofSeconds(20);

    static final String KILLED = "from a kill to the interrupted item's restart, whatever befell meanwhile";
    static final String KILLED_CLEAR = "from a kill to the interrupted item's restart, nothing in its way";
    static final String KILLED_HINDERED =
            "from when nothing was in its way any more to the restart of an item that a kill had interrupted";
    static final String EXPIRED = "from the end of a lost session to its interrupted item's restart";
    static final String INTERRUPTED =
            "from a kill, or else the end of a session, to the interrupted item's restart, whatever befell";
    static final String OUTAGE =
            "from ZooKeeper's serving again after an outage to each item's next run (they fire every 0.2 to 8 s)";
    static final String OUTAGE_CLEAR =
            "from ZooKeeper's serving again after an outage, and a period of the job, to each item's next run,"
                    + " nothing in its way";
    static final String HEALED =
            "from the last fault's end to each item's next fire on schedule (they fire every 0.2 to 8 s)";

    /** Maximum number of recoveries of each kind whose events are reported. */
    private static final int SLOWEST = 5;
    /** Number of events that are reported at the beginning of a recovery, and again at its end. */
    private static final int TRAIL_END = 30;

    private final List<Event> history;
    private final List<InjectedFault> injectedFaults;
    private final Obstacles obstacles;
    private final Map<String, List<Long>> times = new LinkedHashMap<>();
    private final Map<String, List<Recovery>> slowest = new LinkedHashMap<>();
    private final Map<String, Bound> bounds = new LinkedHashMap<>();

    /**
     * Measures the recoveries.
     *
     * @param scheduled final item count of each scheduled job
     * @param healed end of the last fault
     */
    Recoveries(
            List<Event> history, List<InjectedFault> injectedFaults, Map<String, Integer> scheduled, Instant healed) {
        this.history = history;
        this.injectedFaults = injectedFaults;
        this.obstacles = new Obstacles(injectedFaults);
        List.of(KILLED, KILLED_CLEAR, EXPIRED, OUTAGE, HEALED).forEach(name -> times.put(name, new ArrayList<>()));
        interruptions();
        outages(scheduled);
        healed(scheduled, healed);
    }

    /** Returns the recovery times in milliseconds, by kind. */
    Map<String, List<Long>> times() {
        return times;
    }

    /** Returns the slowest recoveries, by kind. The slowest one comes first. */
    Map<String, List<Recovery>> slowest() {
        return slowest;
    }

    List<Bound> bounds() {
        return List.copyOf(bounds.values());
    }

    private void note(String name, long millis) {
        times.getOrDefault(name, new ArrayList<>()).add(millis);
    }

    private void state(String name, Duration limit) {
        bounds.put(name, new Bound(name, limit.toMillis(), 0, 0, List.of()));
    }

    private void judge(String name, long millis, String what) {
        bounds.computeIfPresent(name, (key, bound) -> bound.with(millis, what));
    }

    private void interruptions() {
        Duration limit = SESSION_TIMEOUT.plus(TICK).plus(AFTER_EXPIRY);
        state(KILLED_CLEAR, limit);
        state(KILLED_HINDERED, limit);
        state(INTERRUPTED, WHATEVER_BEFELL);
        Map<Recovery, Supplier<List<String>>> all = new LinkedHashMap<>();
        for (Interruption each : Interruption.of(history)) {
            if (each.item().job().equals(Workload.CROWDED)) {
                continue;
            }
            String what = each.item() + " of fire " + each.fire();
            long took = millis(each.since(), each.wentOn());
            @Nullable Long afterExpiry = each.expired()
                    .map(expired -> millis(expired, each.wentOn()))
                    .orElse(null);
            if (afterExpiry != null) {
                note(EXPIRED, afterExpiry);
            }
            Instant clearSince = obstacles.clearSince(each, limit);
            boolean clear = clearSince.equals(each.since());
            String told = what + ", interrupted at " + each.since() + ", went on at " + each.wentOn();
            judge(INTERRUPTED, took, told);
            if (each.killed().isPresent()) {
                note(KILLED, took);
                if (clear) {
                    note(KILLED_CLEAR, took);
                    judge(KILLED_CLEAR, took, told);
                } else {
                    judge(
                            KILLED_HINDERED,
                            Math.max(0, millis(clearSince, each.wentOn())),
                            told + ", nothing was in its way since " + clearSince);
                }
            }
            String cause = each.killed().isPresent() ? "its worker was killed" : "its worker's session had ended";
            all.put(
                    new Recovery(what, cause, took, afterExpiry, clear, List.of()),
                    () -> trail(each.item(), each.from(), each.to()));
        }
        tell(INTERRUPTED, all);
    }

    private void outages(Map<String, Integer> scheduled) {
        state(OUTAGE_CLEAR, AFTER_OUTAGE);
        Map<Recovery, Supplier<List<String>>> all = new LinkedHashMap<>();
        for (OutageRecovery each : OutageRecovery.of(history, injectedFaults, scheduled.keySet())) {
            Instant served = each.outage().ended();
            long took = millis(served, each.ranAgain());
            note(OUTAGE, took);
            boolean clear = obstacles.none(each);
            if (clear) {
                judge(
                        OUTAGE_CLEAR,
                        Math.max(0, took - each.period().toMillis()),
                        each.item() + " ran at " + each.ranAgain() + ", served since " + served);
            }
            all.put(
                    new Recovery(each.item().toString(), "all servers served again", took, null, clear, List.of()),
                    () -> trail(each.item(), each.from(), each.to()));
        }
        tell(OUTAGE, all);
    }

    private void healed(Map<String, Integer> scheduled, Instant healed) {
        state(HEALED, ON_SCHEDULE);
        Map<Item, Integer> first = new HashMap<>();
        Ledger ledger = new Ledger();
        int since = history.size();
        for (int i = 0; i < history.size(); i++) {
            if (history.get(i) instanceof Event.Transaction transaction) {
                since = transaction.at().isBefore(healed) ? since : Math.min(since, i);
                for (Ledger.Step step : ledger.take(transaction)) {
                    if (step.kind() == Ledger.Kind.CLAIMED
                            && !step.triggered()
                            && step.due().isAfter(healed)) {
                        first.putIfAbsent(step.item(), i);
                    }
                }
            }
        }
        int from = since;
        Map<Recovery, Supplier<List<String>>> all = new LinkedHashMap<>();
        for (Item item : items(scheduled)) {
            Integer at = first.get(item);
            if (at == null) {
                long over = millis(healed, history.get(history.size() - 1).at());
                judge(HEALED, Math.max(ON_SCHEDULE.toMillis() + 1, over), item + " never began, healed at " + healed);
                continue;
            }
            Instant began = history.get(at).at();
            long took = Math.max(0, millis(healed, began));
            note(HEALED, took);
            judge(HEALED, took, item + " began at " + began + ", healed at " + healed);
            all.put(
                    new Recovery(item.toString(), "the last fault's end", took, null, true, List.of()),
                    () -> trail(item, from, at));
        }
        tell(HEALED, all);
    }

    private static Collection<Item> items(Map<String, Integer> scheduled) {
        List<Item> items = new ArrayList<>();
        new TreeMap<>(scheduled).forEach((job, number) -> {
            for (int i = 0; i < number; i++) {
                items.add(new Item(job, Integer.toString(i)));
            }
        });
        return items;
    }

    private void tell(String name, Map<Recovery, Supplier<List<String>>> all) {
        slowest.put(
                name,
                all.entrySet().stream()
                        .sorted(Comparator.comparingLong(each -> -each.getKey().millis()))
                        .limit(SLOWEST)
                        .map(each -> each.getKey().with(each.getValue().get()))
                        .toList());
    }

    /** Describes all events that may have delayed an item, and all faults of this time. */
    private List<String> trail(Item item, int from, int to) {
        List<Event> events = history.subList(from, to + 1).stream()
                .filter(event -> EventText.concerns(event, item))
                .toList();
        List<String> trail = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (i < TRAIL_END || i >= events.size() - TRAIL_END) {
                trail.add(EventText.of(events.get(i), item));
            } else if (i == TRAIL_END) {
                trail.add("... " + (events.size() - 2 * TRAIL_END) + " more ...");
            }
        }
        Instant begun = history.get(from).at();
        Instant over = history.get(to).at();
        injectedFaults.stream()
                .filter(injected ->
                        injected.began().isBefore(over) && injected.ended().isAfter(begun))
                .forEach(injected -> trail.add(injected.toString()));
        return trail;
    }

    private static long millis(Instant from, Instant to) {
        return Duration.between(from, to).toMillis();
    }
}
