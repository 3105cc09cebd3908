package io.ostraka.examples.rolling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges recorded runs: from its first fire to the end of the recording, each item must have completed each fire of its
 * schedule exactly once, in its first attempt.
 */
final class Audit {
    /** Kinds of violations. */
    enum Kind {
        /** A fire between the first fire of an item and the end has no run, or the item has no run at all. */
        LOST,
        /** A fire of an item has completed more than once. */
        DOUBLED,
        /** A run has no end, or another attempt has repeated the run. */
        HANDED_OVER,
        /** A run ended without success. */
        FAILED
    }

    /**
     * A job that should run.
     *
     * @param period time between two fires
     * @param items number of its items, which are numbered from 0
     */
    record Expected(Duration period, int items) {}

    private final Instant end;
    private final Map<Kind, List<String>> violations = new EnumMap<>(Kind.class);
    private int fires;

    private Audit(Instant end) {
        this.end = end;
        for (Kind kind : Kind.values()) {
            violations.put(kind, new ArrayList<>());
        }
    }

    /**
     * Judges runs of the expected jobs.
     *
     * @param end each item must have all its fires before this instant
     */
    static Audit of(List<Run> runs, Map<String, Expected> jobs, Instant end) {
        Audit audit = new Audit(end);
        jobs.forEach((name, job) -> {
            Map<Integer, TreeMap<Instant, List<Run>>> items = new TreeMap<>();
            for (int item = 0; item < job.items; item++) {
                items.put(item, new TreeMap<>());
            }
            runs.stream().filter(run -> run.job().equals(name)).forEach(run -> items.computeIfAbsent(
                            run.item(), item -> new TreeMap<>())
                    .computeIfAbsent(run.fire(), fire -> new ArrayList<>())
                    .add(run));
            items.forEach((item, fires) -> audit.judge(name + "[" + item + "]", fires, job.period));
        });
        return audit;
    }

    private void judge(String item, TreeMap<Instant, List<Run>> fires, Duration period) {
        if (fires.isEmpty()) {
            add(Kind.LOST, item + " has no fire");
            return;
        }
        Instant due = fires.firstKey();
        for (var each : fires.entrySet()) {
            due = addMissing(item, due, each.getKey(), period).plus(period);
            this.fires++;
            each.getValue().forEach(this::judge);
            if (each.getValue().stream()
                            .filter(run -> Run.COMPLETED.equals(run.outcome()))
                            .count()
                    > 1) {
                add(Kind.DOUBLED, item + " fire " + each.getKey());
            }
        }
        addMissing(item, due, end, period);
    }

    /** Adds the fires from one instant until before another one. Returns the next fire. */
    private Instant addMissing(String item, Instant from, Instant until, Duration period) {
        Instant due = from;
        for (; due.isBefore(until); due = due.plus(period)) {
            add(Kind.LOST, item + " fire " + due);
        }
        return due;
    }

    private void judge(Run run) {
        if (run.outcome() == null) {
            add(Kind.HANDED_OVER, run + " has no end");
        } else if (!run.outcome().equals(Run.COMPLETED)) {
            add(Kind.FAILED, run + ": " + run.outcome());
        }
        if (run.attempt() > 1) {
            add(Kind.HANDED_OVER, run + " repeats an earlier attempt");
        }
    }

    private void add(Kind kind, String text) {
        violations.get(kind).add(text);
    }

    /** Returns the number of different fires of items. */
    int fires() {
        return fires;
    }

    List<String> violations(Kind kind) {
        return violations.get(kind);
    }

    List<String> violations() {
        return violations.entrySet().stream()
                .flatMap(kind -> kind.getValue().stream().map(text -> kind.getKey() + " " + text))
                .toList();
    }
}
