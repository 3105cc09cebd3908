package io.ostraka.examples.rolling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Judges recorded runs: each item must have completed each fire of its schedule exactly once, in its first attempt. */
final class Audit {
    /** Kinds of violations. */
    enum Kind {
        /** A fire between the first and the last fire of an item has no run. */
        LOST,
        /** A fire of an item has completed more than once. */
        DOUBLED,
        /** A run has no end, or another attempt has repeated the run. */
        HANDED_OVER,
        /** A run ended without success. */
        FAILED
    }

    private final Map<String, Duration> periods;
    private final Map<Kind, List<String>> violations = new EnumMap<>(Kind.class);
    private int fires;

    private Audit(Map<String, Duration> periods) {
        this.periods = periods;
        for (Kind kind : Kind.values()) {
            violations.put(kind, new ArrayList<>());
        }
    }

    /**
     * Judges runs.
     *
     * @param periods time between two fires, by the name of the job
     */
    static Audit of(List<Run> runs, Map<String, Duration> periods) {
        Map<String, TreeMap<Instant, List<Run>>> items = new TreeMap<>();
        for (Run run : runs) {
            items.computeIfAbsent(run.job() + "[" + run.item() + "]", item -> new TreeMap<>())
                    .computeIfAbsent(run.fire(), fire -> new ArrayList<>())
                    .add(run);
        }
        Audit audit = new Audit(periods);
        items.forEach(audit::judge);
        return audit;
    }

    private void judge(String item, TreeMap<Instant, List<Run>> fires) {
        @Nullable Instant due = null;
        for (var each : fires.entrySet()) {
            Run first = each.getValue().get(0);
            Duration period = periods.get(first.job());
            for (; due != null && due.isBefore(each.getKey()); due = due.plus(period)) {
                add(Kind.LOST, item + " fire " + due);
            }
            due = each.getKey().plus(period);
            this.fires++;
            each.getValue().forEach(this::judge);
            if (each.getValue().stream()
                            .filter(run -> Run.COMPLETED.equals(run.outcome()))
                            .count()
                    > 1) {
                add(Kind.DOUBLED, item + " fire " + each.getKey());
            }
        }
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
