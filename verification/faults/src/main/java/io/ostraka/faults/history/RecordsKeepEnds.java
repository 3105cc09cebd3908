package io.ostraka.faults.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a history outside ZooKeeper can miss no end of a run. The record of an item shows the ends of its two
 * latest runs. Reports of a killed process count as lost. Therefore a living process must have reported each end before
 * the record stops showing it. In the calm phase, it must have reported each end that the record of an item with a
 * registered owner shows.
 */
final class RecordsKeepEnds extends Invariant {
    /**
     * Living processes that have reported the end of a run. The key consists of the item and the nonce of the claim.
     */
    private final Map<String, Set<String>> reporters = new HashMap<>();
    /** Claims that a process other than the owner's has reported, by item and nonce. */
    private final Set<String> reportedByOthers = new HashSet<>();
    /** The process of each instance, by the id of the instance. */
    private final Map<String, String> processes = new HashMap<>();

    /**
     * Possible violations by instances whose processes are not known yet. The server may execute the claim of a process
     * after the process was killed; such a process causes no later event.
     */
    private final Map<String, List<Runnable>> unjudged = new HashMap<>();

    private final Set<String> killed = new HashSet<>();
    /** True if the processes record their reports in this history. */
    private boolean reporting;

    private static String key(Item item, String nonce) {
        return item + " " + nonce;
    }

    @Override
    void move(Move move, State before) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        WrittenRecord.End ended = last.end();
        boolean replaces = !next.nonce.equals(last.nonce) && !last.unfinished();
        WrittenRecord.End kept = replaces && ended != null ? ended : last.previousEnd();
        expect(
                Objects.equals(next.previousEnd(), kept),
                "a record shows the last end before its run: " + kept,
                move,
                move.item());
        if (!reporting) {
            return;
        }
        if (move.ends() && !EndsOnce.endsWithoutReturning(move)) {
            boolean reported =
                    processes.containsKey(next.owner()) && (dead(next.owner()) || isReported(move.item(), next.nonce));
            expect(reported, "the owner reports the end of its run before it records the end", move, move.item());
        }
        WrittenRecord.End dropped = last.previousEnd();
        if (dropped != null && !dropped.equals(kept) && !isReported(move.item(), dropped.nonce())) {
            if (!processes.containsKey(next.owner())) {
                unjudged.computeIfAbsent(next.owner(), owner -> new ArrayList<>())
                        .add(() -> unreported(dropped, move));
            } else if (!dead(next.owner())) {
                unreported(dropped, move);
            }
        }
    }

    private void unreported(WrittenRecord.End dropped, Move move) {
        expect(
                false,
                "a living process has reported the end that the record no longer shows: " + dropped,
                move,
                move.item());
    }

    /** Records the process of an instance. The process is alive, because it has just caused an event. */
    private void lives(String instance, String process) {
        processes.put(instance, process);
        unjudged.getOrDefault(instance, List.of()).forEach(Runnable::run);
        unjudged.remove(instance);
    }

    private boolean dead(String instance) {
        return killed.contains(processes.get(instance));
    }

    private boolean isReported(Item item, String nonce) {
        return !reporters.getOrDefault(key(item, nonce), Set.of()).isEmpty();
    }

    /** Checks that the leader reports the ends of a departed instance's item before it deletes the item's record. */
    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (!reporting || !(write instanceof Write.Deleted) || parts.length != 5 || !parts[4].contains("@")) {
                continue;
            }
            Item item = new Item(parts[2], parts[4]);
            @Nullable WrittenRecord record = before.record(item);
            if (record != null && item.record().equals(write.path()) && !record.state.equals("RETIRED")) {
                record.ends()
                        .forEach(end -> expect(
                                isReported(item, end.nonce()) || reportedByOthers.contains(key(item, end.nonce())),
                                "the leader reports the ends of a record before it deletes the record: " + end,
                                record,
                                item));
            }
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Reported report) {
            reporting = true;
            String key = key(report.item(), report.nonce());
            reporters.computeIfAbsent(key, claim -> new HashSet<>()).add(report.process());
            if (report.own()) {
                lives(report.owner(), report.process());
            } else {
                reportedByOthers.add(key);
            }
        } else if (event instanceof Event.Began began && reporting) {
            lives(began.instance(), began.process());
        } else if (event instanceof Event.Killed death) {
            killed.add(death.process());
            reporters.values().forEach(all -> all.remove(death.process()));
        } else if (event instanceof Event.Over && reporting) {
            unjudged.forEach((owner, violations) -> {
                if (before.exists("/instances/" + owner)) { // in the calm phase, only living processes are registered
                    violations.forEach(Runnable::run);
                }
            });
            before.jobs().forEach(job -> over(job, before));
        }
    }

    private void over(String job, State before) {
        WrittenPlan plan = before.plan(job);
        before.records(job).forEach((item, record) -> {
            String owner = plan == null ? null : plan.owners.get(item.key());
            if (owner != null && before.exists("/instances/" + owner)) {
                record.ends()
                        .forEach(end -> expect(
                                isReported(item, end.nonce()),
                                "a living process has reported the end that the record shows: " + end,
                                record,
                                item));
            }
        });
    }
}
