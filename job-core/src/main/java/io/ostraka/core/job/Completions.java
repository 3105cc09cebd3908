package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.HostedItemState.ClaimedBatch;
import io.ostraka.core.job.HostedItemState.Completing;
import io.ostraka.core.job.HostedItemState.Ended;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import io.ostraka.core.run.RunObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes ended runs, several in one transaction where possible. Runs that end while such a transaction is pending
 * wait for the next one. Confined to the job's serial executor, except for the methods that say otherwise.
 */
public final class Completions {
    private static final Logger log = LoggerFactory.getLogger(Completions.class);
    /**
     * Time for which an ended run waits for another run of its claimed batch to end, so that one transaction can
     * complete both. A claimed batch is the set of runs that one transaction claimed. Each further end restarts the
     * wait. The wait is longer if a run of the batch waited longer than this for a thread, because the ends are then as
     * far apart as the starts.
     */
    private static final Duration LINGER = Duration.ofMillis(20);
    /** Upper limit of the wait for the next end, even on a busy machine. */
    private static final Duration LONGEST_LINGER = Duration.ofMillis(200);
    /** Upper limit of the total wait, as a multiple of one wait. The limit is never below {@link #LONGEST_LINGER}. */
    private static final int MOST_LINGERS = 5;

    private final HostedJobState job;
    private final KeptFires fires;
    private final Resync resync;
    /** Items with running code, each with the instance id under which its run was claimed. */
    private final Map<String, String> executing = new ConcurrentHashMap<>();

    /** Number of runs that were completed after the job began to drain. */
    private final AtomicInteger ended = new AtomicInteger();

    private final Set<String> givenUp = ConcurrentHashMap.newKeySet();
    private boolean draining;

    /** Ended runs that wait for other runs of their claimed batch to end; null if there are none. */
    private @Nullable CompletionBatch waiting;

    Completions(HostedJobState job, KeptFires fires, Resync resync) {
        this.job = job;
        this.fires = fires;
        this.resync = resync;
    }

    /**
     * Returns the items that this process started in an earlier session and that are still running. The process had
     * another instance id in that session. May be called on any thread.
     *
     * @param instanceId id of this instance in its current session
     */
    Set<String> executingFromBefore(String instanceId) {
        Set<String> items = new HashSet<>();
        executing.forEach((item, owner) -> {
            if (!owner.equals(instanceId)) {
                items.add(item);
            }
        });
        return items;
    }

    /** Starts counting the results of runs for the shutdown report. */
    void draining() {
        draining = true;
    }

    /**
     * Returns the number of runs that have been completed since the job began to drain. May be called on any thread.
     */
    public int endedSince() {
        return ended.get();
    }

    /**
     * Returns the items that have been handed over or recorded as interrupted since the job began to drain. May be
     * called on any thread.
     */
    public Set<String> givenUpSince() {
        return Set.copyOf(givenUp);
    }

    /**
     * Counts a completion in the shutdown report.
     *
     * @param to record that the completion wrote
     */
    void recorded(HostedItem hosted, ItemRecord to) {
        if (draining && (to.unfinished() || to.outcome() == ItemOutcome.INTERRUPTED)) {
            givenUp.add(hosted.key());
        } else if (draining) {
            ended.incrementAndGet();
        }
    }

    /** Returns the observer of a run that is about to start. Its methods may be called on any thread. */
    RunObserver observe(HostedItem hosted, ItemRun run, ClaimedBatch batch, StartGate gate) {
        executing.put(run.item(), run.instanceId());
        return new RunObserver() {
            private boolean begun;

            @Override
            public void began() {
                if (!begun) {
                    begun = true;
                    batch.begins(nanos());
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
                began(); // needed if the run has ended without an attempt
                job.execute(() -> {
                    try {
                        gate.ended(run, end);
                    } finally {
                        Completions.this.ended(hosted, run, end);
                    }
                });
            }
        };
    }

    /**
     * Records that a run has ended. Its completion is sent now if no other run of its batch is still running. Otherwise
     * it waits for a short time, so that one transaction can complete several runs.
     */
    private void ended(HostedItem hosted, ItemRun run, RunEnd end) {
        executing.remove(run.item());
        Instant now = job.context.clock().now();
        if (hosted.overlong()) {
            log.info(
                    "{} has ended after {}, longer than expected",
                    run,
                    Duration.between(run.claim().startedAt(), now));
        }
        ClaimedBatch batch = hosted.batch();
        boolean last = hosted.returned(end, now);
        if (!run.instanceId().equals(job.session().instanceId())) {
            // the instance's node lists the items whose runs of earlier sessions have not returned
            job.context.instance().announceAgain();
        }
        if (last) {
            job.flush = true;
        } else if (waiting == null) {
            CompletionBatch first = new CompletionBatch(batch);
            job.later(LINGER, first);
            waiting = first;
        } else {
            waiting.joins(batch);
        }
        job.advance();
    }

    private long nanos() {
        return job.context.platform().clock().monotonicNanos();
    }

    /** Ended runs that wait for other runs of their claimed batch to end. {@link #run} is the callback of the timer. */
    private final class CompletionBatch implements Runnable {
        private final long startedAt = nanos();
        private long latest = startedAt;
        private ClaimedBatch batch;

        CompletionBatch(ClaimedBatch batch) {
            this.batch = batch;
        }

        void joins(ClaimedBatch another) {
            latest = nanos();
            batch = another;
        }

        @Override
        public void run() {
            if (waiting != this) {
                return; // already sent
            }
            long now = nanos();
            long pause = Math.min(Math.max(LINGER.toNanos(), batch.longestWait(now)), LONGEST_LINGER.toNanos());
            long most = Math.max(LONGEST_LINGER.toNanos(), MOST_LINGERS * pause);
            long left = Math.min(latest + pause, startedAt + most) - now;
            if (left > 0) {
                job.later(Duration.ofNanos(left), this);
                return;
            }
            waiting = null;
            job.flush = true;
            job.advance();
        }
    }

    boolean underWay() {
        return job.items.values().stream().anyMatch(hosted -> hosted.state() instanceof Completing);
    }

    /**
     * Sends the completions of ended runs. Does nothing while the reply to other completions is pending; the job calls
     * this method again after that reply.
     *
     * @param claimNext items to leave out: the transaction that claims their next fire also completes their run
     */
    void send(Set<HostedItem> claimNext) {
        if (underWay()) {
            return;
        }
        waiting = null;
        Map<String, List<HostedItem>> groups = new LinkedHashMap<>();
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.run();
            if (hosted.state() instanceof Ended && run != null && !claimNext.contains(hosted)) {
                Fire fire = run.claim().fire();
                long incarnation = hosted.known().value().incarnation();
                String kept = job.mayKeep(fire) && fires.keeps(fire, incarnation)
                        ? FireProgress.nodeOf(fire, incarnation)
                        : "";
                List<HostedItem> group = groups.computeIfAbsent(kept, key -> new ArrayList<>());
                if (group.size() < job.mostMoves(fire.parameterLength())) {
                    group.add(hosted);
                }
            }
        }
        groups.forEach((fire, group) -> {
            KeptFires.KeptFire kept = fire.isEmpty() ? null : fires.get(fire);
            if (kept == null || kept.known) {
                send(kept, group);
            }
        });
    }

    private void send(KeptFires.@Nullable KeptFire kept, List<HostedItem> group) {
        Map<HostedItem, ItemRecord> written = new LinkedHashMap<>();
        Map<String, ItemOutcome> outcomes = new TreeMap<>();
        List<Move> moves = new ArrayList<>();
        JobConfiguration configuration = job.snapshot().configuration();
        for (HostedItem hosted : group) {
            ItemRecord to = hosted.ending(configuration);
            hosted.completing();
            written.put(hosted, to);
            if (to.outcome() != null) {
                outcomes.put(hosted.key(), to.outcome());
            }
            Running running = hosted.holdsRunningNode() ? Running.DELETE : Running.LEAVE;
            moves.add(new Move(hosted.key(), hosted.known(), to, running, false));
        }
        FireWrite fireWrite = kept == null || !kept.begun() ? null : fires.write(kept, outcomes, null);
        if (kept != null && fireWrite != null) {
            fires.sent(kept);
        }
        job.commit(
                new ItemTransaction(job.name, null, moves, fireWrite),
                result -> answered(kept, fireWrite, written, result));
    }

    private void answered(
            KeptFires.@Nullable KeptFire kept,
            @Nullable FireWrite fireWrite,
            Map<HostedItem, ItemRecord> written,
            TransactionResult result) {
        job.flush = true;
        if (kept != null && fireWrite != null) {
            fires.answered(kept, fireWrite, result);
        }
        if (result instanceof TransactionResult.Done done) {
            job.accepted();
            written.forEach((hosted, to) -> {
                hosted.completed(hosted.known()
                        .next(to, done.commit().zxid(), done.commit().at()));
                recorded(hosted, to);
                if (to.state() == ItemState.QUARANTINED) {
                    log.error(
                            "job '{}' item {} is quarantined after {} failures in a row, the last: {}; find the cause, then"
                                    + " release the item",
                            job.name,
                            hosted.key(),
                            to.consecutiveFailures(),
                            to.error());
                }
            });
            job.dropForeignItems();
        } else {
            boolean unknown = result instanceof TransactionResult.Unknown;
            written.keySet().forEach(unknown ? HostedItem::outcomeUnknown : HostedItem::rejected);
            resync.after(result, kept, written.size());
        }
        job.advanceSoon();
    }
}
