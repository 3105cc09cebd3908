package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks that meters agree with the events. The starts, retries and successes of each process agree exactly. The counts
 * of skipped fires and takeovers, summed over all processes, are not larger than the actual numbers. They may be
 * smaller, because an instance does not always learn of a write whose reply was lost. Without faults, they are equal.
 */
final class TrueCounts extends Invariant {
    private static final String STARTED = "started";
    private static final String RETRIED = "retried";
    private static final String SUCCEEDED = "ended SUCCEEDED";
    private static final String FAILED_OVER = "failed over";
    private static final String SKIPPED = "skipped ";

    /** Names of the counts of fires that the leader skips instead of the items' owners. */
    private static final Set<String> BY_LEADERS = Set.of("skipped REMOVED", "skipped ITEM_COUNT_CHANGED");

    /** Name of the count of fires that the leader skips for items without numbers. */
    private static final String BY_LEADERS_IN_SCOPES = "skipped NO_INSTANCE";

    /** The last step of a run's code. */
    private record Last(int attempt, boolean succeeded) {}

    /** Last steps by process and run. */
    private final Map<String, Map<Event.RunKey, Last>> runs = new HashMap<>();
    /** Counts of each process according to its events, by job and name. */
    private final Map<String, Map<String, Map<String, Long>>> happened = new HashMap<>();
    /** Counts according to the records of items, by job and name. */
    private final Map<String, Map<String, Long>> written = new TreeMap<>();
    /** Sums of the meters of all processes, for the counts in {@code written}. */
    private final Map<String, Map<String, Long>> metered = new TreeMap<>();

    /** Jobs whose items have no numbers. */
    private final Set<String> scoped = new HashSet<>();

    private boolean undisturbed = true;
    private boolean counted;

    private static void add(Map<String, Map<String, Long>> counts, String job, String what, long times) {
        counts.computeIfAbsent(job, key -> new TreeMap<>()).merge(what, times, Long::sum);
    }

    private boolean byLeaders(String job, String what) {
        return BY_LEADERS.contains(what) || (what.equals(BY_LEADERS_IN_SCOPES) && scoped.contains(job));
    }

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            boolean planned = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            if (planned && !data.isEmpty() && !before.writtenPlan(data).numbered()) {
                scoped.add(parts[2]); // must include jobs whose items never move
            }
        }
    }

    @Override
    void move(Move move, State before) {
        String job = move.item().job();
        if (move.claims() && move.before().unfinished()) {
            add(written, job, FAILED_OVER, 1);
        }
        boolean claims = move.claims() && !move.before().unfinished();
        boolean skips = !move.claims()
                && !move.ends()
                && !move.rewrites()
                && (move.next().triggerCursor() != move.before().triggerCursor()
                        || !move.next().cursor.equals(move.before().cursor));
        if (claims || skips) {
            move.next().skippedByReason().forEach((reason, times) -> {
                if (!byLeaders(job, SKIPPED + reason)) {
                    add(written, job, SKIPPED + reason, times);
                }
            });
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            Last last = of(began).put(began.run(), new Last(began.attempt(), false));
            if (last == null) {
                count(began, STARTED, 1);
            } else if (last.attempt < began.attempt()) {
                count(began, RETRIED, 1);
            }
            count(began, SUCCEEDED, last != null && last.succeeded ? -1 : 0); // a further step of a dataflow
        } else if (event instanceof Event.Ended ended) {
            Last last = of(ended).get(ended.run());
            boolean succeeds = !ended.failed() && ended.told() == null;
            if (last != null && succeeds != last.succeeded) { // a second event of the same end may add details
                of(ended).put(ended.run(), new Last(last.attempt, succeeds));
                count(ended, SUCCEEDED, succeeds ? 1 : -1);
            }
        } else if (event instanceof Event.Killed) {
            undisturbed = false; // even a process that its own code kills may die before it has counted its last write
        } else if (event instanceof Event.Counted figures) {
            counted(figures);
        } else if (event instanceof Event.Closed && counted) {
            all();
        }
    }

    private Map<Event.RunKey, Last> of(Event.OfRun event) {
        return runs.computeIfAbsent(event.process(), key -> new HashMap<>());
    }

    private void count(Event.OfRun event, String what, long times) {
        add(
                happened.computeIfAbsent(event.process(), key -> new HashMap<>()),
                event.run().item().job(),
                what,
                times);
    }

    private void counted(Event.Counted figures) {
        counted = true;
        undisturbed &= figures.undisturbed();
        Map<String, Map<String, Long>> own = happened.getOrDefault(figures.process(), Map.of());
        own.forEach((job, counts) -> counts.forEach((what, times) -> {
            long said = figures.jobs().getOrDefault(job, Map.of()).getOrDefault(what, 0L);
            expect(
                    said == times,
                    figures.process() + "'s meters have " + times + " for job " + job + " " + what + ", not " + said,
                    null,
                    null);
        }));
        figures.jobs()
                .forEach((job, counts) -> counts.forEach((what, times) -> {
                    if (what.equals(FAILED_OVER) || (what.startsWith(SKIPPED) && !byLeaders(job, what))) {
                        add(metered, job, what, times);
                    } else if (what.equals(STARTED)) {
                        expect(
                                own.containsKey(job) || times == 0,
                                figures.process() + "'s events have starts of job " + job,
                                times,
                                null);
                    }
                }));
    }

    private void all() {
        // a count that is missing on one side is 0
        metered.forEach((job, counts) -> counts.keySet().forEach(what -> add(written, job, what, 0)));
        written.forEach((job, counts) -> counts.forEach((what, times) -> {
            long said = metered.getOrDefault(job, Map.of()).getOrDefault(what, 0L);
            expect(
                    undisturbed ? said == times : said <= times,
                    "all meters together have " + times + " for job " + job + " " + what + ", not " + said,
                    null,
                    null);
        }));
    }
}
