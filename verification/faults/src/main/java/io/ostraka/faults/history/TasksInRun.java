package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks child tasks. A task starts while its run executes. A run ends after all its tasks, and fails if one of them
 * fails. Tasks with the same key run in order, one at a time. Tasks of a killed process are not checked.
 */
final class TasksInRun extends Invariant {
    /** The code of an attempt and its tasks. */
    private static final class Family {
        final String process;
        /** Running tasks, by number. */
        final Map<Integer, Event.Task> running = new TreeMap<>();
        /** Number of the latest task of each key. */
        final Map<String, Integer> latest = new HashMap<>();

        boolean failed;

        Family(String process) {
            this.process = process;
        }
    }

    private final Map<String, Family> families = new HashMap<>();

    private static String claim(Event.RunKey run) {
        return Claim.zxid(run.token()) + " " + run.item();
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            Family last = families.remove(claim(began.run()));
            expect(
                    last == null || last.running.isEmpty(),
                    "an attempt starts after all tasks of the one before have ended",
                    began,
                    began.run().item());
        } else if (event instanceof Event.Task task) {
            Family family = families.computeIfAbsent(claim(task.run()), key -> new Family(task.process()));
            if (task.over()) {
                family.running.remove(task.number());
                family.failed |= task.failed();
            } else {
                begins(task, family, before);
            }
        } else if (event instanceof Event.Ended ended) {
            Family family = families.get(claim(ended.run()));
            if (family != null) {
                Item item = ended.run().item();
                expect(family.running.isEmpty(), "a run ends after all its tasks, " + family.running, ended, item);
                expect(!family.failed || ended.failed(), "a run fails if one of its tasks fails", ended, item);
            }
        } else if (event instanceof Event.Killed killed) {
            families.values().removeIf(family -> family.process.equals(killed.process()));
        }
    }

    private void begins(Event.Task task, Family family, State before) {
        Item item = task.run().item();
        expect(before.isActive(task.run()), "a task starts while its run executes", task, item);
        String key = task.key();
        if (key != null) {
            boolean alone = family.running.values().stream().noneMatch(other -> key.equals(other.key()));
            expect(alone, "two tasks of one key never run at the same time", task, item);
            Integer last = family.latest.put(key, task.number());
            expect(last == null || last < task.number(), "tasks of one key start in order", task, item);
        }
        family.running.put(task.number(), task);
    }

    @Override
    void move(Move move, State before) {
        Claim claim = before.latestClaim(move.item());
        if (claim == null || !(move.ends() || move.handsOver()) || EndsOnce.endsWithoutReturning(move)) {
            return;
        }
        @Nullable Family family = families.get(claim.zxid() + " " + move.item());
        boolean over = family == null || family.running.isEmpty();
        expect(over, "a run that is completed or given up has no running task", move, move.item());
    }
}
