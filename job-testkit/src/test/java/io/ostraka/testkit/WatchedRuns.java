package io.ostraka.testkit;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The code of all jobs. Each run is checked against the ledger and against whatever else runs: invariant I1. A run may
 * let time pass, in which everything else goes on: one whose session ends meanwhile, or whose instance is told to close,
 * is nothing special here.
 */
final class WatchedRuns implements SimpleJob {
    private static final int DEEPEST = 8;
    private static final List<String> NOT_BY_RETURNING =
            List.of(ItemOutcome.INTERRUPTED.name(), ItemOutcome.CRASHED.name());

    /** Code that runs now. */
    private static final class Active {
        final TestCluster.Instance host;
        final long session;
        final String job;
        final int item;
        final int total;
        final String what;

        Active(TestCluster.Instance host, ShardingContext context) {
            String owner = context.instanceId();
            this.host = host;
            this.session = Long.parseUnsignedLong(owner.substring(owner.lastIndexOf('@') + 1), 16);
            this.job = context.jobName();
            this.item = context.shardingItem();
            this.total = context.shardingTotalCount();
            this.what = job + "/" + item + " of " + total + ", run " + context.runId() + " attempt " + context.attempt()
                    + " token 0x" + Long.toHexString(context.fencingToken()) + " on " + owner;
        }
    }

    private final RandomFaults run;
    private final List<Active> active = new ArrayList<>();
    private final Set<TestCluster.Instance> killed = new HashSet<>();
    private final Map<String, Long> highestTokens = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private final Map<String, Integer> scheduled = new TreeMap<>();
    private final List<ShardingContext> cancelled = new ArrayList<>();
    private boolean instant;
    private int depth;

    WatchedRuns(RandomFaults run) {
        this.run = run;
    }

    /** From now on no run takes time or fails. */
    void makeInstant() {
        instant = true;
    }

    /** Kills an instance: what ran there runs no more. */
    void kill(TestCluster.Instance target) {
        run.say("kills " + target.store());
        killed.add(target);
        active.removeIf(one -> one.host == target);
        target.kill();
    }

    boolean killed(TestCluster.Instance instance) {
        return killed.contains(instance);
    }

    /** Returns how often each item of each scheduled fire has begun since the last call. */
    Map<String, Integer> takeScheduled() {
        Map<String, Integer> taken = new TreeMap<>(scheduled);
        scheduled.clear();
        return taken;
    }

    /** A run that was told to end has not completed its fire by returning. */
    void checkCancelled() {
        for (ShardingContext one : cancelled) {
            String end = run.ledger.endOf(one.fencingToken(), one.jobName(), Integer.toString(one.shardingItem()));
            run.expect(
                    one + " of token 0x" + Long.toHexString(one.fencingToken()) + " was cancelled, not " + end,
                    end == null || NOT_BY_RETURNING.contains(end));
        }
    }

    @Override
    public void execute(ShardingContext context) {
        String owner = context.instanceId();
        int number = Integer.parseInt(owner.substring("host-".length(), owner.indexOf('@')));
        TestCluster.Instance host = run.cluster.instances().get(number);
        if (killed.contains(host)) {
            return; // there is no such process any more
        }
        Active one = new Active(host, context);
        run.say("begins " + one.what);
        check(one, context);
        active.add(one);
        depth++;
        try {
            if (!instant && depth < DEEPEST) {
                work(one, context);
            }
        } finally {
            depth--;
            active.remove(one);
            run.say("returns " + one.what + (context.isCancelled() ? ", cancelled" : ""));
            if (context.isCancelled()) {
                cancelled.add(context);
            }
        }
    }

    private void work(Active one, ShardingContext context) {
        if (run.random.nextInt(3) == 0) {
            run.cluster.advance(Duration.ofMillis(run.random.nextInt(run.random.nextInt(4) == 0 ? 40_000 : 5_000)));
        }
        if (run.random.nextInt(6) == 0 && !killed.contains(one.host)) {
            try {
                context.saveCheckpoint(one.what.getBytes(StandardCharsets.UTF_8));
            } catch (OstrakaException e) {
                run.say("saves nothing: " + e.getMessage());
            }
        }
        if (run.random.nextInt(40) == 0) {
            kill(one.host);
        } else if (run.random.nextInt(10) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
    }

    private void check(Active one, ShardingContext context) {
        LedgerHistory.Claim claim = run.ledger.claim(context.fencingToken(), one.job, Integer.toString(one.item));
        boolean claimed = claim != null
                && claim.total() == one.total
                && claim.attempt() == context.attempt()
                && claim.owner().equals(context.instanceId());
        run.expect(one.what + " has claimed what it runs, not " + claim, claimed);
        run.expect(one.what + " begins once", begun.add(one.job + "/" + one.item + " " + context.fencingToken()));
        boolean lives = run.cluster.tree().lives(one.session);
        for (Active other : active) {
            boolean apart = !lives
                    || !other.job.equals(one.job)
                    || !run.cluster.tree().lives(other.session)
                    || (other.item != one.item && other.total == one.total);
            run.expect(one.what + " begins apart from " + other.what, apart);
        }
        long highest = highestTokens.merge(one.job + "/" + one.item, context.fencingToken(), Math::max);
        run.expect(one.what + " has the highest token", !lives || highest == context.fencingToken());
        if (claim != null && !claim.triggered()) {
            scheduled.merge(one.job + "/" + one.item + " at " + context.fireTime(), 1, Integer::sum);
        }
    }
}
