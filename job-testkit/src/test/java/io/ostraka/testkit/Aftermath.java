package io.ostraka.testkit;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** What must be so once faults are over: every trigger has ended, every job is on schedule, nothing is left behind. */
final class Aftermath {
    private final RandomFaults run;
    private final List<Faults.Asked> asked;

    Aftermath(RandomFaults run, List<Faults.Asked> asked) {
        this.run = run;
        this.asked = asked;
    }

    void check() {
        checkSchedule();
        asked.forEach(this::checkTrigger);
        checkNothingIsLeft();
        run.runs.checkCancelled();
    }

    private void checkSchedule() {
        WrittenPlan plan = run.ledger.plan(RandomFaults.RATE);
        run.expect("the plan is open: " + plan, !plan.closed());
        Duration period = plan.period();
        Instant from = run.cluster.now();
        run.runs.takeScheduled();
        run.cluster.advance(period.multipliedBy(4));
        Map<String, Integer> expected = new TreeMap<>();
        Instant at = plan.anchor();
        for (; !at.isAfter(run.cluster.now()); at = at.plus(period)) {
            if (at.isAfter(from)) {
                for (String item : healthy(RandomFaults.RATE)) {
                    expected.put(RandomFaults.RATE + "/" + item + " at " + at, 1);
                }
            }
        }
        Map<String, Integer> seen = run.runs.takeScheduled();
        run.expect("all is on schedule: " + seen + " instead of " + expected, seen.equals(expected));
    }

    private void checkTrigger(Faults.Asked trigger) {
        String what = trigger.job() + " of " + trigger.items() + ", asked for at "
                + trigger.at().store() + ", run " + trigger.run().runId();
        JsonObject progress =
                run.ledger.fires().get(trigger.job() + "/" + trigger.run().runId());
        if (progress == null) {
            run.expect("trigger of " + what + " was taken", !trigger.at().alive());
            return;
        }
        Map<String, String> told = new TreeMap<>();
        progress.getAsJsonObject("outcomes").asMap().forEach((item, how) -> told.put(item, how.getAsString()));
        run.expect(
                "every item ended in " + what + ": " + progress,
                progress.getAsJsonArray("left").isEmpty());
        run.expect("every item told its end in " + what + ": " + progress, complete(trigger.items(), told.keySet()));
        Map<String, String> written =
                run.ledger.outcomes(trigger.job(), trigger.run().runId());
        told.values().removeIf(ItemOutcome.SKIPPED.name()::equals);
        run.expect("what is told was written in " + what + ": " + told + " and " + written, told.equals(written));
        CompletableFuture<?> end = trigger.run().completion().toCompletableFuture();
        run.expect(
                "who asked was told the end of " + what,
                !trigger.at().alive() || (end.isDone() && !end.isCompletedExceptionally()));
    }

    /** Whether these are all items that were asked for, of those that there were when the fire began. */
    private static boolean complete(Set<String> asked, Set<String> told) {
        boolean none = told.isEmpty(); // the job was removed, or did not have what was asked for
        return none || (asked.isEmpty() ? told.equals(Set.copyOf(ShardingPlan.keys(told.size()))) : told.equals(asked));
    }

    /** The items of a job that are not parked. */
    private List<String> healthy(String job) {
        Map<String, String> states = run.ledger.states(job);
        return ShardingPlan.keys(run.ledger.plan(job).total()).stream()
                .filter(item -> !"QUARANTINED".equals(states.get(item)))
                .toList();
    }

    private void checkNothingIsLeft() {
        List<String> left = run.cluster.tree().paths().stream()
                .filter(path -> path.matches("/triggers/.*|/jobs/[^/]*/failover/.*|/jobs/.*/running"))
                .toList();
        run.expect("nothing is left: " + left, left.isEmpty());
        for (String job : RandomFaults.JOBS) {
            Map<String, String> expected = new TreeMap<>(run.ledger.states(job));
            expected.replaceAll((item, state) -> state.equals("QUARANTINED") ? state : "RETIRED");
            healthy(job).forEach(item -> expected.put(item, "IDLE"));
            run.expect(
                    job + " is at rest: " + run.ledger.states(job),
                    run.ledger.states(job).equals(expected));
        }
        List<String> instances = run.cluster.tree().children("/instances");
        List<String> candidates = run.cluster.tree().children("/leader/latch");
        run.expect(
                "the living are registered: " + instances,
                instances.size() == run.living().size());
        run.expect(
                "the living are candidates: " + candidates,
                candidates.size() == run.living().size());
    }
}
