package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What meters are told agrees with what has happened: runs, tries and successes of each process exactly; what was left out
 * or taken over, of all processes together, never more than there was, and no less where nothing befell anybody. (Where
 * a reply was lost, and the item moved on meanwhile, it is told by no one.)
 */
final class TrueCounts extends Invariant {
    private static final String STARTED = "started";
    private static final String RETRIED = "retried";
    private static final String SUCCEEDED = "ended SUCCEEDED";
    private static final String FAILED_OVER = "failed over";
    private static final String SKIPPED = "skipped ";

    /** What leaders leave out for items, which no item's own move tells. */
    private static final Set<String> BY_LEADERS = Set.of("skipped REMOVED", "skipped ITEM_COUNT_CHANGED");

    /** What they leave out besides for the items that a scope has as long as somebody takes part. */
    private static final String BY_LEADERS_IN_SCOPES = "skipped NO_INSTANCE";

    /** The last step of a run's code, and whether it went well. */
    private record Last(int attempt, boolean succeeded) {}

    /** By process, then by run. */
    private final Map<String, Map<Event.RunKey, Last>> runs = new HashMap<>();
    /** What each process has seen, by job. */
    private final Map<String, Map<String, Map<String, Long>>> happened = new HashMap<>();
    /** What items' records say, by job. */
    private final Map<String, Map<String, Long>> written = new TreeMap<>();
    /** What all meters together were told of that. */
    private final Map<String, Map<String, Long>> told = new TreeMap<>();

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
            String data = write instanceof Write.Created created
                    ? created.data()
                    : write instanceof Write.Changed changed ? changed.data() : "";
            boolean planned = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            if (planned && !data.isEmpty() && !new WrittenPlan(State.json(data)).numbered()) {
                scoped.add(parts[2]); // also where none of its items ever does anything
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
            move.next().leftOutByReason().forEach((reason, times) -> {
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
            if (last != null && succeeds != last.succeeded) { // an end may be recorded again, told better
                of(ended).put(ended.run(), new Last(last.attempt, succeeds));
                count(ended, SUCCEEDED, succeeds ? 1 : -1);
            }
        } else if (event instanceof Event.Killed) {
            undisturbed = false; // by its own code as well: it may have written, and told nobody
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
                    figures.process() + " has " + times + " of job " + job + " " + what + ", not " + said,
                    null,
                    null);
        }));
        figures.jobs()
                .forEach((job, counts) -> counts.forEach((what, times) -> {
                    if (what.equals(FAILED_OVER) || (what.startsWith(SKIPPED) && !byLeaders(job, what))) {
                        add(told, job, what, times);
                    } else if (what.equals(STARTED)) {
                        expect(own.containsKey(job) || times == 0, figures.process() + " has run " + job, times, null);
                    }
                }));
    }

    private void all() {
        // what one side has never heard of is none there
        told.forEach((job, counts) -> counts.keySet().forEach(what -> add(written, job, what, 0)));
        written.forEach((job, counts) -> counts.forEach((what, times) -> {
            long said = told.getOrDefault(job, Map.of()).getOrDefault(what, 0L);
            expect(
                    undisturbed ? said == times : said <= times,
                    "all have " + times + " of job " + job + " " + what + ", not " + said,
                    null,
                    null);
        }));
    }
}
