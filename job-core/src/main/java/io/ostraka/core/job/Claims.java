package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.FireTriggered;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Due;
import io.ostraka.core.job.HostedItemState.ClaimedBatch;
import io.ostraka.core.job.HostedItemState.Ended;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Token;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunAttempts;
import io.ostraka.core.run.RunObserver;
import io.ostraka.core.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due items. One transaction claims all due items of the job in this instance, except the items of triggered
 * fires and of fires with once-listeners. Each of these fires is claimed in a separate transaction. If an item's
 * previous run has just ended, the transaction that claims the item also completes that run. Confined to the job's
 * serial executor.
 */
final class Claims {
    private static final Logger log = LoggerFactory.getLogger(Claims.class);

    private final HostedJobState job;
    private final KeptFires fires;
    private final Resync resync;
    private final Completions completions;
    private final Admission admission;
    private final StartGate gate;
    private final SkippedFires skipped;
    private final BiPredicate<String, ItemRecord> startsNext;

    /**
     * Decisions of one transaction.
     *
     * @param fire the fire that all decisions concern; null if the transaction writes no progress node
     */
    private record Batch(KeptFires.@Nullable KeptFire fire, Map<HostedItem, Due> dues) {
        int longestParameters() {
            int longest = 0;
            for (Due due : dues.values()) {
                Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
                longest = Math.max(longest, fire.parameterLength());
            }
            return longest;
        }
    }

    /** A transaction with a pending reply, and the snapshot and session on which its decisions are based. */
    private record Sent(
            JobSnapshot decidedFrom,
            Session sender,
            KeptFires.@Nullable KeptFire fire,
            @Nullable FireWrite fireWrite,
            ClaimPlan plan) {}

    /**
     * @param startsNext returns whether an item's next fire could start here, from the item's key and the record of its
     *     present claim; called on any thread
     */
    Claims(
            HostedJobState job,
            KeptFires fires,
            Resync resync,
            Completions completions,
            Admission admission,
            StartGate gate,
            SkippedFires skipped,
            BiPredicate<String, ItemRecord> startsNext) {
        this.job = job;
        this.fires = fires;
        this.resync = resync;
        this.completions = completions;
        this.admission = admission;
        this.gate = gate;
        this.skipped = skipped;
        this.startsNext = startsNext;
    }

    /**
     * Sends decisions. A decision that needs the progress of a fire is left out if that progress is unknown. This
     * method then reads the progress, and the job decides again after the read.
     */
    void send(Map<HostedItem, Due> dues) {
        Map<String, Batch> batches = new LinkedHashMap<>();
        dues.forEach((hosted, due) -> {
            Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
            boolean takeover =
                    !(hosted.state() instanceof Ended) && hosted.known().value().unfinished();
            long incarnation = hosted.known().value().incarnation();
            boolean noRun = !takeover && !fire.triggered() && due instanceof Due.Settle;
            if ((takeover && due instanceof Due.Start)
                    || noRun
                    || !job.mayKeep(fire)
                    || !fires.keeps(fire, incarnation)) {
                batch(batches, null).dues.put(hosted, due);
                return;
            }
            KeptFires.KeptFire kept =
                    takeover ? fires.get(FireProgress.nodeOf(fire, incarnation)) : fires.toBegin(fire, incarnation);
            if (kept.known) {
                boolean concerned = takeover || !fire.triggered() || kept.awaits(hosted.key());
                batch(batches, kept).dues.put(hosted, concerned ? due : notConcerned(hosted, fire));
            }
        });
        batches.values().forEach(this::send);
    }

    private static Batch batch(Map<String, Batch> batches, KeptFires.@Nullable KeptFire kept) {
        return batches.computeIfAbsent(kept == null ? "" : kept.id, key -> new Batch(kept, new LinkedHashMap<>()));
    }

    private static Due notConcerned(HostedItem hosted, Fire fire) {
        ItemRecord to = hosted.known().value().skipped(fire, SkipReason.NOT_CONCERNED);
        return new Due.Settle(fire, to, ItemOutcome.SKIPPED);
    }

    private void send(Batch batch) {
        boolean twice = batch.dues.entrySet().stream()
                .anyMatch(each -> each.getKey().state() instanceof Ended && each.getValue() instanceof Due.Settle);
        int most = Math.max(1, job.mostMoves(batch.longestParameters()) / (twice ? 2 : 1));
        List<Map<HostedItem, Due>> decided = parts(batch.dues, most);
        if (batch.fire != null) {
            // only one part: the remaining decisions depend on the progress that this part writes; the job makes them
            // again after the reply
            sendPart(new Batch(batch.fire, admitted(decided.get(0))));
        } else {
            parts(admitted(batch.dues), most).forEach(part -> sendPart(new Batch(null, part)));
        }
    }

    /** Divides decisions into parts of at most {@code most}. */
    private static List<Map<HostedItem, Due>> parts(Map<HostedItem, Due> dues, int most) {
        List<Map<HostedItem, Due>> parts = new ArrayList<>();
        dues.forEach((hosted, due) -> {
            if (parts.isEmpty() || parts.get(parts.size() - 1).size() == most) {
                parts.add(new LinkedHashMap<>());
            }
            parts.get(parts.size() - 1).put(hosted, due);
        });
        return parts;
    }

    private Map<HostedItem, Due> admitted(Map<HostedItem, Due> dues) {
        Map<HostedItem, Due> admitted = admission.admit(dues);
        dues.keySet().stream()
                .filter(hosted -> hosted.state() instanceof Ended && !admitted.containsKey(hosted))
                .forEach(this::completeAlone);
        return admitted;
    }

    private void sendPart(Batch batch) {
        if (batch.dues.isEmpty()) {
            return;
        }
        Session sender = job.session();
        JobSnapshot decidedFrom = job.snapshot();
        ClaimPlan plan = ClaimPlan.of(
                batch.dues,
                decidedFrom,
                sender,
                () -> nonce(sender),
                job.context.clock().now());
        plan.steps().forEach((hosted, step) -> {
            DecisionEvents events = DecisionEvents.of(step.from(), hosted.interruption(), step.due(), step.to());
            hosted.deciding(events, step.previousFire());
            hosted.claimsFrom(decidedFrom);
        });
        KeptFires.KeptFire kept = batch.fire;
        FireWrite fireWrite = kept == null ? null : fires.write(kept, plan.settled(), plan.begins());
        String trigger =
                kept == null ? null : fires.trigger(kept.id).map(Trigger::name).orElse(null);
        Guard guard = new Guard(sender.instanceId(), decidedFrom.planVersion(), trigger);
        if (kept != null && fireWrite != null) {
            fires.sent(kept);
        }
        Sent sent = new Sent(decidedFrom, sender, kept, fireWrite, plan);
        job.commit(new ItemTransaction(job.name, guard, plan.moves(), fireWrite), result -> answered(sent, result));
    }

    private String nonce(Session sender) {
        return sender.instanceId() + "/" + job.name + "/" + job.context.claims().incrementAndGet();
    }

    /** Completes a run in a separate transaction, because the claim of the item's next fire got no slot. */
    private void completeAlone(HostedItem hosted) {
        hosted.completeAlone();
        job.flush = true;
        job.advanceSoon();
    }

    /** Publishes the trigger of a claim, also of a takeover: the owner may have died before its event was stored. */
    private void triggered(Run claim, String self) {
        Fire fire = claim.fire();
        if (!fire.triggered() || !job.context.events().received(FireTriggered.class)) {
            return;
        }
        fires.trigger(fire.id()).ifPresent(trigger -> {
            Trigger.Request request = trigger.request();
            job.context
                    .events()
                    .publish(new FireTriggered(
                            job.name,
                            request.runId(),
                            trigger.at(),
                            fire.logicalTime(),
                            claim.total(),
                            request.by(),
                            request.reason(),
                            request.rerunOf(),
                            request.parameters(),
                            self,
                            job.context.platform().clock().now()));
        });
    }

    private void answered(Sent sent, TransactionResult result) {
        if (sent.fire != null && sent.fireWrite != null) {
            fires.answered(sent.fire, sent.fireWrite, result);
        }
        if (result instanceof TransactionResult.Done done) {
            accepted(sent, done.commit());
        } else {
            rejected(sent, result);
        }
        if (sent.plan.steps().values().stream().anyMatch(step -> step.end() != null)) {
            job.flush = true;
            job.dropForeignItems();
        }
        job.advanceSoon();
    }

    private void accepted(Sent sent, Outcome.Committed commit) {
        job.accepted();
        sent.plan
                .takenOver(sent.sender)
                .forEach((owner, items) -> log.info(
                        "job '{}': took over {} from {}, whose session ended while they ran: {}",
                        job.name,
                        items.size() == 1 ? "1 item" : items.size() + " items",
                        owner,
                        Names.listed(items)));
        sent.plan.steps().forEach((hosted, step) -> {
            ItemRecord end = step.end();
            if (end != null && sent.plan.completesApart(hosted)) {
                hosted.completed(hosted.known().next(end, commit.zxid(), commit.at()));
            }
            if (end != null) {
                completions.recorded(hosted, end);
            }
        });
        boolean believed = job.session().id() == sent.sender.id();
        ClaimedBatch batch = new ClaimedBatch();
        sent.plan.steps().forEach((hosted, step) -> {
            ItemRecord to = step.to();
            decided(sent, hosted, to, commit);
            if (to.unfinished() && believed) {
                start(hosted, sent.decidedFrom, batch);
            } else if (to.unfinished()) {
                hosted.reread(); // the claiming session has ended
                admission.revoke(hosted);
            } else if (to.state() == ItemState.QUARANTINED && to.endedAt() != null && to.error() != null) {
                log.error(
                        "job '{}' item {} is quarantined: {}; disable the item, and release it only after the"
                                + " cause is mended",
                        job.name,
                        hosted.key(),
                        to.error());
            }
        });
    }

    /** Adopts the record of a decision, and publishes its events. */
    private void decided(Sent sent, HostedItem hosted, ItemRecord to, Outcome.Committed commit) {
        DecisionEvents events =
                hosted.decided(hosted.known().next(to, commit.zxid(), commit.at()), sent.decidedFrom.planVersion());
        if (events == null) {
            return;
        }
        List<Skipped> late = events.skippedLate();
        if (!late.isEmpty()) {
            skipped.found(hosted.key(), to, late);
        }
        if (to.unfinished()) {
            triggered(to.requireRun(), sent.sender.instanceId());
        }
        events.publish(
                job.context.events(),
                job.name,
                hosted.key(),
                commit.zxid(),
                sent.sender.instanceId(),
                job.context.platform().clock().now());
    }

    private void rejected(Sent sent, TransactionResult result) {
        boolean unknown = result instanceof TransactionResult.Unknown;
        for (Map.Entry<HostedItem, ClaimPlan.Step> each : sent.plan.steps().entrySet()) {
            HostedItem hosted = each.getKey();
            if (unknown) {
                hosted.outcomeUnknown();
            } else {
                hosted.rejected();
            }
            if (each.getValue().end() != null) {
                hosted.completeAlone();
            }
            admission.revoke(hosted);
        }
        resync.after(result, sent.fire, sent.plan.moves().size());
    }

    /** Starts the run of a claim that ZooKeeper has accepted. */
    void start(HostedItem hosted, JobSnapshot decidedFrom, ClaimedBatch batch) {
        Versioned<ItemRecord> record = hosted.known();
        ShardingPlan plan = decidedFrom.plan();
        ItemRun.Claimed claimed = new ItemRun.Claimed(
                record.version(),
                record.mzxid(),
                Token.pack(record.value().requireRun().fenceEpoch(), record.mzxid()),
                Token.pack(plan.fenceEpoch(), plan.generation()));
        ItemRun run = new ItemRun(
                decidedFrom,
                hosted.key(),
                record.value(),
                hosted.previousFire(),
                claimed,
                job.context.runs(),
                () -> startsNext.test(hosted.key(), record.value()));
        if (run.claim().fire().triggered() && batch.beginsTriggered()) {
            fires.invalidateUnbegun(); // this claim, or a claim by the item's previous owner, has begun the fire
        }
        job.stopOf(run).ifPresent(run::cancel); // if the fire is already stopped, the user's code does not start
        hosted.started(run, batch);
        Admission.Slot slot = admission.start(hosted);
        Clock clock = job.context.platform().clock();
        RunObserver reports = completions.observe(hosted, run, batch, gate);
        RunEvents events = new RunEvents(job.context.events(), clock, run, slot.dueSince(), reports);
        Runnable start = () -> {
            batch.waits(clock.monotonicNanos());
            new RunAttempts(job.context.slots(), slot.pool(), job.body, run, events).start();
        };
        gate.pass(run, start);
    }
}
