package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Due;
import io.ostraka.core.job.HostedItem.Phase;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Token;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.run.RunAttempts;
import io.ostraka.core.run.RunEnd;
import io.ostraka.core.run.RunObserver;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims what is due: one transaction for all of an instance's items of a job, one more for each triggered fire, and one
 * for each fire that once-listeners are told of. An item whose run has just ended is claimed in the transaction that tells
 * of that. Confined to the job's lane.
 */
final class Claims {
    private static final Logger log = LoggerFactory.getLogger(Claims.class);

    private final JobState job;
    private final KeptFires fires;
    private final Resync relearning;
    private final Completions completions;
    private final Admission admission;
    private final JobBody body;
    private final @Nullable JobListenerGate listeners;
    private final OnceListenerGate once;

    /** What one transaction is about: items of one fire whose end must be known, or of no such. */
    private record Batch(KeptFires.@Nullable Page fire, Map<HostedItem, Due> dues) {
        int longestParameters() {
            int longest = 0;
            for (Due due : dues.values()) {
                Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
                longest = Math.max(longest, fire.parameterLength());
            }
            return longest;
        }
    }

    /** A transaction that was sent, and what it was decided from. */
    private record Sent(
            JobSnapshot decidedFrom,
            Session sender,
            KeptFires.@Nullable Page fire,
            @Nullable FireWrite fireWrite,
            Map<HostedItem, ItemRecord> ended,
            Map<HostedItem, ItemRecord> written,
            Map<String, List<String>> takenOver) {}

    Claims(
            JobState job,
            KeptFires fires,
            Resync relearning,
            Completions completions,
            Admission admission,
            JobBody body,
            @Nullable JobListenerGate listeners,
            OnceListenerGate once) {
        this.job = job;
        this.fires = fires;
        this.relearning = relearning;
        this.completions = completions;
        this.admission = admission;
        this.body = body;
        this.listeners = listeners;
        this.once = once;
    }

    /** Sends what was decided; what needs a fire's progress to be known first is decided again once it is. */
    void send(Map<HostedItem, Due> dues) {
        Map<String, Batch> batches = new LinkedHashMap<>();
        dues.forEach((hold, due) -> {
            Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
            boolean takeover = hold.phase != Phase.ENDED && hold.known().value().unfinished();
            long incarnation = hold.known().value().incarnation();
            boolean nobodyRuns = !takeover && !fire.triggered() && due instanceof Due.Settle;
            if ((takeover && due instanceof Due.Start)
                    || nobodyRuns
                    || !job.mayKeep(fire)
                    || !fires.keeps(fire, incarnation)) {
                batch(batches, null).dues.put(hold, due);
                return;
            }
            KeptFires.Page page =
                    takeover ? fires.page(FireProgress.nodeOf(fire, incarnation)) : fires.toBegin(fire, incarnation);
            if (page.known) {
                boolean concerned = takeover || !fire.triggered() || page.awaits(hold.item);
                batch(batches, page).dues.put(hold, concerned ? due : notConcerned(hold, fire));
            }
        });
        batches.values().forEach(this::send);
    }

    private static Batch batch(Map<String, Batch> batches, KeptFires.@Nullable Page page) {
        return batches.computeIfAbsent(page == null ? "" : page.id, key -> new Batch(page, new LinkedHashMap<>()));
    }

    private static Due notConcerned(HostedItem hold, Fire fire) {
        ItemRecord to = hold.known().value().skipped(fire, SkipReason.NOT_CONCERNED);
        return new Due.Settle(fire, to, ItemOutcome.SKIPPED);
    }

    private void send(Batch batch) {
        boolean ends = batch.dues.keySet().stream().anyMatch(hold -> hold.phase == Phase.ENDED);
        int most = Math.max(1, job.mostMoves(batch.longestParameters()) / (ends ? 2 : 1));
        Map<HostedItem, Due> part = new LinkedHashMap<>();
        for (Map.Entry<HostedItem, Due> due : batch.dues.entrySet()) {
            part.put(due.getKey(), due.getValue());
            if (part.size() == most) {
                sendPart(new Batch(batch.fire, part));
                if (batch.fire != null) {
                    return; // the rest builds on this part's progress: it is decided again after the reply
                }
                part = new LinkedHashMap<>();
            }
        }
        if (!part.isEmpty()) {
            sendPart(new Batch(batch.fire, part));
        }
    }

    private void sendPart(Batch decided) {
        Batch batch = new Batch(decided.fire, admission.admit(decided.dues));
        decided.dues.keySet().stream()
                .filter(hold -> hold.phase == Phase.ENDED && !batch.dues.containsKey(hold))
                .forEach(this::endApart);
        if (batch.dues.isEmpty()) {
            return;
        }
        Session sender = job.session();
        JobSnapshot decidedFrom = job.snapshot();
        Instant now = job.context.platform().clock().now();
        Map<HostedItem, ItemRecord> written = new LinkedHashMap<>();
        Map<HostedItem, ItemRecord> ended = new LinkedHashMap<>();
        List<Move> moves = new ArrayList<>();
        for (HostedItem hold : batch.dues.keySet()) {
            if (hold.phase == Phase.ENDED) {
                ItemRecord to = hold.ending(decidedFrom.configuration());
                ended.put(hold, to);
                moves.add(new Move(hold.item, hold.known(), to, Running.DELETE, false));
            }
        }
        Map<String, ItemOutcome> settled = new TreeMap<>();
        Map<String, List<String>> takenOver = new TreeMap<>();
        batch.dues.forEach((hold, due) -> {
            ItemRecord end = ended.get(hold);
            Versioned<ItemRecord> from =
                    end == null ? hold.known() : hold.known().within(end);
            ItemRecord to;
            if (due instanceof Due.Start start) {
                Run last = from.value().run();
                if (last != null
                        && from.value().unfinished()
                        && !sender.instanceId().equals(last.owner())
                        && !sender.earlierIds().contains(last.owner())) {
                    takenOver
                            .computeIfAbsent(last.owner(), owner -> new ArrayList<>())
                            .add(hold.item);
                }
                hold.previousFire = last == null || from.value().unfinished()
                        ? null
                        : last.fire().at();
                hold.pendingNonce = sender.instanceId() + "/" + job.name + "/"
                        + job.context.claims().incrementAndGet();
                to = from.value()
                        .claimed(
                                claim(
                                        start,
                                        sender,
                                        hold.pendingNonce,
                                        now,
                                        from.value().nextRunNumber(),
                                        decidedFrom.plan().fenceEpoch()),
                                start.cursor(),
                                start.unrun());
                moves.add(new Move(hold.item, from, to, Running.CREATE, hold.handover));
            } else {
                Due.Settle settle = (Due.Settle) due;
                to = settle.to().decidedBy(sender.instanceId());
                settled.put(hold.item, settle.outcome());
                moves.add(new Move(hold.item, from, to, Running.LEAVE, hold.handover));
            }
            hold.events = DecisionEvents.of(from, hold.interruption, due, to);
            hold.phase = end == null ? Phase.CLAIMING : Phase.COMPLETING;
            written.put(hold, to);
        });
        KeptFires.Page page = batch.fire;
        Fire begins = batch.dues.values().stream()
                .filter(Due.Start.class::isInstance)
                .map(due -> ((Due.Start) due).fire())
                .filter(fire -> !fire.triggered())
                .findFirst()
                .orElse(null);
        FireWrite fireWrite = page == null ? null : fires.write(page, settled, begins, once.self());
        String trigger =
                page == null ? null : fires.trigger(page.id).map(Trigger::name).orElse(null);
        Guard guard = new Guard(sender.instanceId(), decidedFrom.planVersion(), trigger);
        if (page != null && fireWrite != null) {
            fires.sent(page);
        }
        Sent sent = new Sent(decidedFrom, sender, page, fireWrite, ended, written, takenOver);
        job.onReply(
                () -> job.context.coordination().items().commit(new ItemTransaction(job.name, guard, moves, fireWrite)),
                (verdict, error) -> answered(sent, verdict == null ? new TransactionResult.Unknown() : verdict));
    }

    /** Its run's end doesn't wait for its next claim. */
    private void endApart(HostedItem hold) {
        hold.endsApart = true;
        job.flush = true;
        job.advanceSoon();
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

    private void answered(Sent sent, TransactionResult verdict) {
        if (sent.fire != null && sent.fireWrite != null) {
            fires.answered(sent.fire, sent.fireWrite, verdict);
        }
        if (verdict instanceof TransactionResult.Done done) {
            job.accepted();
            sent.takenOver.forEach((owner, items) -> log.info(
                    "job '{}': took over {} from {}, whose session ended while they ran: {}",
                    job.name,
                    items.size() == 1 ? "1 item" : items.size() + " items",
                    owner,
                    Names.listed(items)));
            boolean believed = job.session().id() == sent.sender.id();
            HostedItem.Cohort cohort = new HostedItem.Cohort();
            sent.ended.forEach((hold, to) -> {
                hold.wrote(hold.known()
                        .next(to, done.commit().zxid(), done.commit().at()));
                hold.runOver();
                completions.recorded(hold, to);
            });
            sent.written.forEach((hold, to) -> {
                hold.wrote(hold.known()
                        .next(to, done.commit().zxid(), done.commit().at()));
                if (hold.events != null) {
                    hold.events.publish(
                            job.context.events(),
                            job.name,
                            hold.item,
                            done.commit().zxid(),
                            sent.sender.instanceId(),
                            job.context.platform().clock().now());
                    hold.events = null;
                }
                if (to.unfinished() && believed) {
                    start(hold, sent.decidedFrom, cohort);
                } else if (to.unfinished()) {
                    hold.phase = Phase.UNREAD; // the session that claimed it is over
                    admission.revoke(hold);
                } else if (to.state() == ItemState.QUARANTINED && to.endedAt() != null && to.error() != null) {
                    log.error("job '{}' item {} is quarantined: {}", job.name, hold.item, to.error());
                }
            });
        } else {
            boolean unknown = verdict instanceof TransactionResult.Unknown;
            for (HostedItem hold : sent.written.keySet()) {
                boolean ended = sent.ended.containsKey(hold);
                hold.phase = unknown ? Phase.UNREAD : ended ? Phase.ENDED : Phase.READY;
                hold.endsApart = ended;
                hold.pendingNonce = unknown ? hold.pendingNonce : null;
                hold.events = unknown ? hold.events : null;
                admission.revoke(hold);
            }
            relearning.after(verdict, sent.fire, sent.written.size() + sent.ended.size());
        }
        if (!sent.ended.isEmpty()) {
            job.flush = true;
            job.dropForeignItems();
        }
        job.advanceSoon();
    }

    /** Starts the run of a claim that holds. */
    void start(HostedItem hold, JobSnapshot decidedFrom, HostedItem.Cohort cohort) {
        Versioned<ItemRecord> record = hold.known();
        ShardingPlan plan = decidedFrom.plan();
        ItemRun.Claimed claimed = new ItemRun.Claimed(
                record.version(),
                record.mzxid(),
                Token.pack(record.value().requireRun().fenceEpoch(), record.mzxid()),
                Token.pack(plan.fenceEpoch(), plan.generation()));
        ItemRun run =
                new ItemRun(decidedFrom, hold.item, record.value(), hold.previousFire, claimed, job.context.runs());
        if (run.claim().fire().triggered()) {
            fires.doubtUnbegun(); // it has begun, here or where it is taken over from
        }
        hold.started(run, cohort);
        completions.began(run);
        RunSlots.Pool pool = admission.placeOf(hold);
        Clock clock = job.context.platform().clock();
        RunObserver reports = new RunObserver() {
            private boolean begun;

            @Override
            public void began() {
                if (!begun) {
                    begun = true;
                    cohort.begins(clock.monotonicNanos());
                }
            }

            @Override
            public void stalled() {
                job.advance();
            }

            @Override
            public void abandoned() {
                job.advance();
            }

            @Override
            public void ended(RunEnd end) {
                began(); // if it never came to that
                job.execute(() -> {
                    if (listeners != null) {
                        listeners.ended(run, end);
                    }
                    completions.ended(hold, run, end);
                });
            }
        };
        RunEvents events = new RunEvents(job.context.events(), clock, run, hold.dueSince(), reports);
        Runnable start = () -> {
            cohort.waits(clock.monotonicNanos());
            new RunAttempts(job.context.slots(), pool, body, run, events).start();
        };
        CompletableFuture<Void> open = decidedFrom.onceListeners()
                ? once.open(run, record.value().incarnation())
                : CompletableFuture.completedFuture(null);
        if (listeners != null) {
            listeners.begin(run, open, start);
        } else if (open.isDone()) {
            start.run();
        } else {
            open.thenRunAsync(start, job::execute);
        }
    }
}
