package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.decide.Due;
import io.ostraka.core.job.HostedItemState.Ended;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction of claims writes. It follows from the decisions alone: making a plan changes nothing.
 *
 * @param steps step of each item
 * @param moves changes of the records, in the order in which the transaction makes them: first the ends of runs whose
 *     item starts nothing, then the decisions
 */
record ClaimPlan(Map<HostedItem, Step> steps, List<Move> moves) {
    /**
     * Step of an item.
     *
     * @param due decision about the item
     * @param end record that completes the item's ended run; null if no run has ended
     * @param from record from which the decision continues: the end, or the record as known
     * @param to record that the decision writes
     */
    record Step(Due due, @Nullable ItemRecord end, Versioned<ItemRecord> from, ItemRecord to) {
        /** Returns the time of the last completed fire; null if there is none or the time is unknown. */
        @Nullable Instant previousFire() {
            Run last = from.value().run();
            return last == null || from.value().unfinished() || !(due instanceof Due.Start start)
                    ? null
                    : start.fire().following(last.fire());
        }
    }

    /**
     * Makes a plan.
     *
     * @param nonces returns a new nonce for each claim
     * @param now start of the claimed runs
     */
    static ClaimPlan of(
            Map<HostedItem, Due> dues, JobSnapshot decidedFrom, Session sender, Supplier<String> nonces, Instant now) {
        Map<HostedItem, Step> steps = new LinkedHashMap<>();
        List<Move> ends = new ArrayList<>();
        List<Move> decisions = new ArrayList<>();
        dues.forEach((hosted, due) -> {
            ItemRecord end = hosted.state() instanceof Ended ? hosted.ending(decidedFrom.configuration()) : null;
            Versioned<ItemRecord> from =
                    end == null ? hosted.known() : hosted.known().within(end);
            ItemRecord to;
            if (due instanceof Due.Start start) {
                int fenceEpoch = decidedFrom.plan().fenceEpoch();
                Run claim = claim(start, sender, nonces.get(), now, from.value().nextRunNumber(), fenceEpoch);
                to = from.value().claimed(claim, start.cursor(), start.skipped());
                // the claim replaces the ended run in the record, but the record keeps the end of that run
                Running running = end == null ? Running.CREATE : Running.RENEW;
                decisions.add(new Move(hosted.key(), hosted.known(), to, running, hosted.failoverNode()));
            } else {
                to = ((Due.Settle) due).to().decidedBy(sender.instanceId());
                if (end != null) {
                    ends.add(new Move(hosted.key(), hosted.known(), end, Running.DELETE, false));
                }
                decisions.add(new Move(hosted.key(), from, to, Running.LEAVE, hosted.failoverNode()));
            }
            steps.put(hosted, new Step(due, end, from, to));
        });
        ends.addAll(decisions);
        return new ClaimPlan(steps, ends);
    }

    private static Run claim(Due.Start start, Session owner, String nonce, Instant now, long number, int fenceEpoch) {
        return new Run(
                start.fire(),
                start.total(),
                start.attempt(),
                start.crashes(),
                owner.instanceId(),
                nonce,
                now,
                start.busySince(),
                number,
                fenceEpoch,
                0);
    }

    /** Returns the outcomes of the items that start nothing. */
    Map<String, ItemOutcome> settled() {
        Map<String, ItemOutcome> settled = new TreeMap<>();
        steps.forEach((hosted, step) -> {
            if (step.due instanceof Due.Settle settle) {
                settled.put(hosted.key(), settle.outcome());
            }
        });
        return settled;
    }

    /** Returns the scheduled fire that the transaction starts; null if it starts none. */
    @Nullable Fire begins() {
        return steps.values().stream()
                .map(Step::due)
                .filter(Due.Start.class::isInstance)
                .map(due -> ((Due.Start) due).fire())
                .filter(fire -> !fire.triggered())
                .findFirst()
                .orElse(null);
    }

    /** Returns the items whose unfinished run belongs to another process, by the id of the instance that owned it. */
    Map<String, List<String>> takenOver(Session sender) {
        Map<String, List<String>> items = new TreeMap<>();
        steps.forEach((hosted, step) -> {
            Run last = step.from.value().run();
            if (step.due instanceof Due.Start
                    && last != null
                    && step.from.value().unfinished()
                    && !sender.instanceId().equals(last.owner())
                    && !sender.earlierIds().contains(last.owner())) {
                items.computeIfAbsent(last.owner(), owner -> new ArrayList<>()).add(hosted.key());
            }
        });
        return items;
    }

    /**
     * Returns whether an item's run is completed in a write of its own, because the item starts nothing.
     */
    boolean completesApart(HostedItem hosted) {
        Step step = steps.get(hosted);
        return step != null && step.end != null && !step.to.unfinished();
    }
}
