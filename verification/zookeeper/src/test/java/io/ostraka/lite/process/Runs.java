package io.ostraka.lite.process;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the protocol's invariants I1 and I2 on the runs that the workers reported. */
final class Runs {
    /** Detail of an {@link Event.Kind#ENDED} run that returned without completing the item. */
    static final String CANCELLED = "cancelled";

    private Runs() {}

    /** Returns the violations; empty if there are none. */
    static List<String> violations(Recorder history) {
        List<String> violations = new ArrayList<>();
        Map<Long, Event> ends = new HashMap<>();
        Set<List<String>> completed = new HashSet<>();
        for (Event end : history.all(event -> event.kind() == Event.Kind.ENDED)) {
            ends.put(end.token(), end);
            if (!end.detail().equals(CANCELLED) && !completed.add(List.of(end.job(), end.item(), end.run()))) {
                violations.add("ran twice to its end: " + end);
            }
        }
        Map<String, Instant> exits = new HashMap<>();
        history.all(event -> event.kind() == Event.Kind.EXITED).forEach(event -> exits.put(event.worker(), event.at()));
        // a paused process does nothing; when it resumes, its writes have a smaller token than the new owner's
        history.all(event ->
                        event.kind() == Event.Kind.SIGNALLED && event.detail().equals(WorkerProcess.STOP))
                .forEach(event -> exits.put(event.worker(), event.at()));
        Map<List<String>, Event> last = new HashMap<>();
        history.all(event -> event.kind() == Event.Kind.STARTED).stream()
                .sorted(Comparator.comparing(Event::at))
                .forEach(start -> {
                    Event before = last.put(List.of(start.job(), start.item()), start);
                    if (before == null) {
                        return;
                    }
                    if (start.token() <= before.token()) {
                        violations.add("token does not rise: " + before + " -> " + start);
                    }
                    Event end = ends.get(before.token());
                    Instant stopped = exits.getOrDefault(before.worker(), Instant.MAX);
                    boolean stoppedInMidRun =
                            !stopped.isBefore(before.at()) && (end == null || stopped.isBefore(end.at()));
                    Instant until = stoppedInMidRun ? stopped : end == null ? Instant.MAX : end.at();
                    if (start.at().isBefore(until)) {
                        violations.add("overlap until " + until + ": " + before + " | " + start);
                    }
                });
        return violations;
    }
}
