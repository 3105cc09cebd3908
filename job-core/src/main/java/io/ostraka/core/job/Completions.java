package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.HostedItem.ClaimedBatch;
import io.ostraka.core.job.HostedState.Completing;
import io.ostraka.core.job.HostedState.Ended;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
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
 * Tells ZooKeeper what has ended: items that end together leave in one transaction, and what ends while it is under way
 * gathers for the next. Confined to the job's lane, but for what says otherwise.
 */
public final class Completions {
    private static final Logger log = LoggerFactory.getLogger(Completions.class);
    /**
     * How long completions wait for one more of their claim, so that they leave together; every one that comes renews it. Where
     * runs wait longer than that for a thread, their ends come as far apart, and are waited for as long.
     */
    private static final Duration LINGER = Duration.ofMillis(20);
    /** The longest that they wait for one more, however busy the machine is. */
    private static final Duration LONGEST_LINGER = Duration.ofMillis(200);
    /** How many times as long they wait altogether, however many come, and never less than the longest wait for one. */
    private static final int MOST_LINGERS = 5;

    private final JobState job;
    private final KeptFires fires;
    private final Resync resync;
    /** Items whose code has not returned, with the id under which it was begun. */
    private final Map<String, String> executing = new ConcurrentHashMap<>();

    /** Since the job is drained: what has been recorded as ended, and what as given up. */
    private final AtomicInteger ended = new AtomicInteger();

    private final Set<String> givenUp = ConcurrentHashMap.newKeySet();
    private boolean draining;

    /** What waits for one more end; null while nothing does. */
    private @Nullable Gathering gathering;

    Completions(JobState job, KeptFires fires, Resync resync) {
        this.job = job;
        this.fires = fires;
        this.resync = resync;
    }

    /** Items whose code was begun under an earlier session and has not returned. Any thread. */
    Set<String> executingFromBefore(String instanceId) {
        Set<String> items = new HashSet<>();
        executing.forEach((item, owner) -> {
            if (!owner.equals(instanceId)) {
                items.add(item);
            }
        });
        return items;
    }

    /** From now on it is noted what becomes of runs. */
    void draining() {
        draining = true;
    }

    /** How many runs were recorded as ended since the job is drained. Any thread. */
    public int endedSince() {
        return ended.get();
    }

    /** Items whose runs were recorded as given up since the job is drained. Any thread. */
    public Set<String> givenUpSince() {
        return Set.copyOf(givenUp);
    }

    /** Takes note of what a run was recorded as. */
    void recorded(HostedItem hosted, ItemRecord to) {
        if (draining && (to.unfinished() || to.outcome() == ItemOutcome.INTERRUPTED)) {
            givenUp.add(hosted.key());
        } else if (draining) {
            ended.incrementAndGet();
        }
    }

    /** Code is about to run. */
    void began(ItemRun run) {
        executing.put(run.item(), run.instanceId());
    }

    /** Code has really returned. */
    void ended(HostedItem hosted, ItemRun run, RunEnd end) {
        executing.remove(run.item());
        Instant now = job.context.platform().clock().now();
        if (hosted.overlong()) {
            log.info(
                    "{}, which took too long, has ended after {}",
                    run,
                    Duration.between(run.claim().startedAt(), now));
        }
        ClaimedBatch batch = hosted.batch();
        boolean last = hosted.returned(end, now);
        if (!run.instanceId().equals(job.session().instanceId())) {
            job.context.instance().announceAgain(); // the instance's node names runs of earlier sessions
        }
        if (last) {
            job.flush = true;
        } else if (gathering == null) {
            Gathering begun = new Gathering(batch);
            job.later(LINGER, begun);
            gathering = begun;
        } else {
            gathering.joins(batch);
        }
        job.advance();
    }

    private long nanos() {
        return job.context.platform().clock().monotonicNanos();
    }

    /** Ends that wait until no more come, from the first of them to when they are sent. */
    private final class Gathering implements Runnable {
        private final long begun = nanos();
        private long latest = begun;
        private ClaimedBatch batch;

        Gathering(ClaimedBatch batch) {
            this.batch = batch;
        }

        void joins(ClaimedBatch another) {
            latest = nanos();
            batch = another;
        }

        @Override
        public void run() {
            if (gathering != this) {
                return; // they have been sent
            }
            long now = nanos();
            long pause = Math.min(Math.max(LINGER.toNanos(), batch.longestWait(now)), LONGEST_LINGER.toNanos());
            long most = Math.max(LONGEST_LINGER.toNanos(), MOST_LINGERS * pause);
            long left = Math.min(latest + pause, begun + most) - now;
            if (left > 0) {
                job.later(Duration.ofNanos(left), this);
                return;
            }
            gathering = null;
            job.flush = true;
            job.advance();
        }
    }

    /** Whether ends have been sent and not answered. */
    boolean underWay() {
        return job.items.values().stream().anyMatch(hosted -> hosted.state() instanceof Completing);
    }

    /**
     * Sends what has ended, unless an earlier one is under way: its reply sends what has gathered by then.
     *
     * @param goOn whose ends are to be told with their next claims
     */
    void send(Set<HostedItem> goOn) {
        if (underWay()) {
            return;
        }
        gathering = null;
        Map<String, List<HostedItem>> groups = new LinkedHashMap<>();
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.run();
            if (hosted.state() instanceof Ended && run != null && !goOn.contains(hosted)) {
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
            KeptFires.Page page = fire.isEmpty() ? null : fires.page(fire);
            if (page == null || page.known) {
                send(page, group);
            }
        });
    }

    private void send(KeptFires.@Nullable Page page, List<HostedItem> group) {
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
        FireWrite fireWrite = page == null || !page.begun() ? null : fires.write(page, outcomes, null);
        if (page != null && fireWrite != null) {
            fires.sent(page);
        }
        job.commit(
                new ItemTransaction(job.name, null, moves, fireWrite),
                result -> answered(page, fireWrite, written, result));
    }

    private void answered(
            KeptFires.@Nullable Page page,
            @Nullable FireWrite fireWrite,
            Map<HostedItem, ItemRecord> written,
            TransactionResult result) {
        job.flush = true;
        if (page != null && fireWrite != null) {
            fires.answered(page, fireWrite, result);
        }
        if (result instanceof TransactionResult.Done done) {
            job.accepted();
            written.forEach((hosted, to) -> {
                hosted.completed(hosted.known()
                        .next(to, done.commit().zxid(), done.commit().at()));
                recorded(hosted, to);
                if (to.state() == ItemState.QUARANTINED) {
                    log.error(
                            "job '{}' item {} is quarantined after {} failures in a row, the last: {}; find out why, then"
                                    + " release it",
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
            resync.after(result, page, written.size());
        }
        job.advanceSoon();
    }
}
