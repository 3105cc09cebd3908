package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How long it took until all went on after faults, and whether that is within what is stated.
 *
 * <p><b>After a kill</b> each item that the process had claimed goes on within the session timeout, a tick and
 * {@link #AFTER_EXPIRY}. What befalls the servers or another worker meanwhile can keep it from doing so, and faults overlap;
 * so where it takes longer, the time counts from when the last fault was taken back that befell the servers or another
 * worker (its process or its network; clocks and operators excuse nothing) before that time was over. Every kill is judged.
 *
 * <p><b>After the last fault</b> has been taken back each item of every scheduled job begins a fire that came due since,
 * within {@link #ON_SCHEDULE}.
 */
final class Recoveries {
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);
    static final Duration TICK = Duration.ofMillis(200);
    static final Duration AFTER_EXPIRY = Duration.ofSeconds(3);
    static final Duration ON_SCHEDULE = Duration.ofSeconds(20);

    static final String KILLED_ALONE = "from a kill to the interrupted item's restart, nothing else befalling";
    static final String KILLED =
            "from a kill, or where that is longer from the last fault meanwhile, to the interrupted item's restart";
    static final String EXPIRED = "from the end of a lost session to its interrupted item's restart";
    static final String OUTAGE =
            "from ZooKeeper's serving again after an outage to each job's next run (they fire every 0.2 to 8 s)";
    static final String HEALED =
            "from the last fault's end to each item's next fire on schedule (they fire every 0.2 to 8 s)";

    /** How many are told with what happened. */
    private static final int SLOWEST = 5;

    private final List<Event> history;
    private final List<Strike> strikes;
    private final Map<String, List<Long>> times = new LinkedHashMap<>();
    private final List<Recovery> slowest = new ArrayList<>();
    private final List<Bound> bounds = new ArrayList<>();

    /**
     * Measures them.
     *
     * @param scheduled how many items each scheduled job has in the end
     * @param healed when the last fault was taken back
     */
    Recoveries(List<Event> history, List<Strike> strikes, Map<String, Integer> scheduled, Instant healed) {
        this.history = history;
        this.strikes = strikes;
        List.of(KILLED_ALONE, KILLED, EXPIRED, OUTAGE, HEALED).forEach(name -> times.put(name, new ArrayList<>()));
        interruptions();
        outages(scheduled.keySet());
        healed(scheduled, healed);
    }

    /** Returns how long each took, in milliseconds, by sort. */
    Map<String, List<Long>> times() {
        return times;
    }

    /** Returns the slowest restarts of interrupted items, the slowest first. */
    List<Recovery> slowest() {
        return slowest;
    }

    List<Bound> bounds() {
        return bounds;
    }

    private void note(String name, long millis) {
        times.getOrDefault(name, new ArrayList<>()).add(millis);
    }

    private void interruptions() {
        Duration limit = SESSION_TIMEOUT.plus(TICK).plus(AFTER_EXPIRY);
        List<String> broken = new ArrayList<>();
        Map<Interruption, Recovery> all = new LinkedHashMap<>();
        for (Interruption each : Interruption.of(history)) {
            each.expired().ifPresent(expired -> note(EXPIRED, millis(expired, each.wentOn())));
            Instant lost = each.killed().or(each::expired).orElse(each.wentOn());
            boolean alone = each.killed().isPresent() && calmSince(lost, limit).equals(lost);
            if (each.killed().isPresent()) {
                boolean inTime = !each.wentOn().isAfter(lost.plus(limit));
                Instant since = inTime ? lost : calmSince(lost, limit);
                long took = Math.max(0, millis(since, each.wentOn()));
                note(KILLED, took);
                if (alone) {
                    note(KILLED_ALONE, took);
                }
                if (took > limit.toMillis()) {
                    broken.add(each.item() + " of fire " + each.fire() + " went on " + took + " ms after " + since);
                }
            }
            all.put(
                    each,
                    new Recovery(
                            each.item() + " of fire " + each.fire(),
                            each.killed().isPresent() ? "its worker was killed" : "its worker's session had ended",
                            millis(lost, each.wentOn()),
                            each.expired()
                                    .map(expired -> millis(expired, each.wentOn()))
                                    .orElse(null),
                            alone,
                            List.of()));
        }
        bounds.add(bound(KILLED, limit, broken));
        all.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> -entry.getValue().millis()))
                .limit(SLOWEST)
                .forEach(entry -> slowest.add(entry.getValue().with(trail(entry.getKey()))));
    }

    private Bound bound(String name, Duration limit, List<String> broken) {
        List<Long> all = times.getOrDefault(name, List.of());
        long worst = all.stream().mapToLong(Long::longValue).max().orElse(0);
        return new Bound(name, limit.toMillis(), all.size(), worst, broken);
    }

    /** From when on nothing befell for a while that keeps items from going on; a kill excuses nothing itself. */
    private Instant calmSince(Instant killed, Duration limit) {
        Instant since = killed;
        for (boolean later = true; later; ) {
            later = false;
            for (Strike strike : strikes) {
                boolean itself = strike.fault().kind() == Fault.Kind.WORKER_KILLED
                        && !strike.began().isAfter(killed)
                        && !strike.ended().isBefore(killed);
                boolean meanwhile = strike.began().isBefore(since.plus(limit))
                        && strike.ended().isAfter(since);
                if (strike.disturbs() && !itself && meanwhile) {
                    since = strike.ended();
                    later = true;
                }
            }
        }
        return since;
    }

    private List<String> trail(Interruption of) {
        List<String> trail = new ArrayList<>();
        for (int i = of.from(); i <= of.to(); i++) {
            Event event = history.get(i);
            if (event.concerns(of.item()) || event instanceof Event.Killed) {
                trail.add(Telling.of(event, of.item()));
            }
        }
        strikes.stream()
                .filter(strike -> strike.began().isBefore(of.wentOn())
                        && strike.ended().isAfter(history.get(of.from()).at()))
                .forEach(strike -> trail.add(strike.toString()));
        return trail;
    }

    private void outages(Set<String> jobs) {
        Map<String, List<Instant>> claims = new HashMap<>();
        Ledger ledger = new Ledger();
        for (Event event : history) {
            if (event instanceof Event.Transaction transaction) {
                for (Ledger.Step step : ledger.take(transaction)) {
                    if (step.kind() == Ledger.Kind.CLAIMED) {
                        claims.computeIfAbsent(step.item().job(), job -> new ArrayList<>())
                                .add(transaction.at());
                    }
                }
            }
        }
        for (Strike outage : strikes) {
            for (String job : outage.fault().kind().isOutage() ? jobs : Set.<String>of()) {
                claims.getOrDefault(job, List.of()).stream()
                        .filter(at -> !at.isBefore(outage.ended()))
                        .findFirst()
                        .ifPresent(at -> note(OUTAGE, millis(outage.ended(), at)));
            }
        }
    }

    private void healed(Map<String, Integer> scheduled, Instant healed) {
        Map<Item, Instant> first = new HashMap<>();
        Ledger ledger = new Ledger();
        for (Event event : history) {
            if (event instanceof Event.Transaction transaction) {
                for (Ledger.Step step : ledger.take(transaction)) {
                    if (step.kind() == Ledger.Kind.CLAIMED
                            && !step.triggered()
                            && step.due().isAfter(healed)) {
                        first.putIfAbsent(step.item(), transaction.at());
                    }
                }
            }
        }
        List<String> broken = new ArrayList<>();
        new TreeMap<>(scheduled).forEach((job, items) -> {
            for (int i = 0; i < items; i++) {
                Instant at = first.get(new Item(job, Integer.toString(i)));
                if (at != null) {
                    note(HEALED, Math.max(0, millis(healed, at)));
                }
                if (at == null || at.isAfter(healed.plus(ON_SCHEDULE))) {
                    broken.add(job + "/" + i + (at == null ? " never began" : " began at " + at) + ", healed at "
                            + healed);
                }
            }
        });
        bounds.add(bound(HEALED, ON_SCHEDULE, broken));
    }

    private static long millis(Instant from, Instant to) {
        return Duration.between(from, to).toMillis();
    }
}
