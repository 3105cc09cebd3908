package io.ostraka.faults.history;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What child tasks are promised: they begin while their run goes on, which ends when all of them have, and has failed if one
 * has; those of one key come in their order and one after the other. What is done of a killed process says no more.
 */
final class TasksInRun extends Invariant {
    /** The tasks of a try, and its own code. */
    private static final class Family {
        final String process;
        /** What runs, by number. */
        final Map<Integer, Event.Task> running = new TreeMap<>();
        /** The number of each key's latest. */
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
                    "another try begins without tasks of the one before",
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
                expect(family.running.isEmpty(), "a run ends when its tasks have, " + family.running, ended, item);
                expect(!family.failed || ended.failed(), "a run has failed if a task has", ended, item);
            }
        } else if (event instanceof Event.Killed killed) {
            families.values().removeIf(family -> family.process.equals(killed.process()));
        }
    }

    private void begins(Event.Task task, Family family, State before) {
        Item item = task.run().item();
        expect(before.isActive(task.run()), "a task begins while its run goes on", task, item);
        String key = task.key();
        if (key != null) {
            boolean alone = family.running.values().stream().noneMatch(other -> key.equals(other.key()));
            expect(alone, "of one key never two tasks run", task, item);
            Integer last = family.latest.put(key, task.number());
            expect(last == null || last < task.number(), "tasks of one key come in order", task, item);
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
        expect(over, "what is completed or given up has no task that runs", move, move.item());
    }
}
