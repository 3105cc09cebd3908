package io.ostraka.testkit;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.JobOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** What befalls instances, and what operators want of jobs meanwhile. */
final class Faults {
    private static final int MOST_INSTANCES = 5;

    /**
     * A manual trigger.
     *
     * @param at by way of which instance
     * @param items empty for all
     */
    record Asked(TestCluster.Instance at, String job, Set<String> items, JobRun run) {}

    private final RandomFaults run;
    private final TestCluster cluster;
    private final List<Asked> asked = new ArrayList<>();
    /** Who has no connection, and because of which outage. */
    private final Map<TestCluster.Instance, Integer> outages = new HashMap<>();

    private int lastOutage;
    private boolean over;

    Faults(RandomFaults run) {
        this.run = run;
        this.cluster = run.cluster;
    }

    List<Asked> asked() {
        return asked;
    }

    /** Has something happen. */
    void strike() {
        if (over) {
            return;
        }
        List<TestCluster.Instance> living = run.living();
        int kind = run.random.nextInt(22);
        run.say("is struck by " + kind);
        if (living.isEmpty() || kind == 0) {
            if (living.size() < MOST_INSTANCES) {
                cluster.join();
            }
            return;
        }
        TestCluster.Instance target = living.get(run.random.nextInt(living.size()));
        if (kind < 8) {
            strikeSession(kind, target);
        } else if (kind < 14) {
            strikeConnection(kind, target.store());
        } else {
            command(kind, target, run.pick(RandomFaults.RATE, RandomFaults.ONCE));
        }
    }

    private void strikeSession(int kind, TestCluster.Instance target) {
        InMemoryNodeStore store = target.store();
        long session = store.session();
        switch (kind) {
            case 1 -> run.runs.kill(target);
            case 2 -> close(target);
            case 3 -> {
                store.expire();
                reconnectLater(target, 12_000);
            }
            case 4, 5 -> {
                store.suspend();
                int outage = reconnectLater(target, 25_000);
                cluster.time().after(TestCluster.SESSION_TIMEOUT, () -> {
                    if (outages.getOrDefault(target, 0) == outage) {
                        cluster.tree().expire(session);
                    }
                });
            }
            case 6 -> {
                store.abandon();
                reconnectLater(target, 5_000);
                cluster.time()
                        .after(TestCluster.SESSION_TIMEOUT, () -> cluster.tree().expire(session));
            }
            default -> cluster.tree().newEpoch();
        }
    }

    private void strikeConnection(int kind, InMemoryNodeStore store) {
        switch (kind) {
            case 8 -> store.loseNextRequest();
            case 9 -> store.loseNextReply();
            case 10 -> {
                store.holdRequests();
                run.later(9_000, store::releaseRequests);
            }
            case 11 -> {
                store.holdReplies();
                run.later(9_000, store::releaseReplies);
            }
            case 12 -> {
                store.holdWatches();
                run.later(9_000, store::releaseWatches);
            }
            default -> {
                store.lag(1 + run.random.nextInt(10));
                run.later(30_000, () -> store.lag(0));
            }
        }
    }

    private void command(int kind, TestCluster.Instance at, String job) {
        String item = Integer.toString(run.random.nextInt(RandomFaults.MOST_ITEMS));
        switch (kind) {
            case 14 -> amend(at, job, override -> override.withPaused(!override.paused()));
            case 15 -> {
                int count = 1 + run.random.nextInt(RandomFaults.MOST_ITEMS);
                amend(at, job, override -> override.withShardingTotalCount(count));
            }
            case 16 -> {
                Set<String> items = Set.of(item);
                amend(
                        at,
                        job,
                        override -> override.withDisabledItems(
                                override.disabledItems().isEmpty() ? items : Set.of()));
            }
            case 17 -> {
                Schedule other = Schedule.fixedRate(Duration.ofMillis(run.pick(500, 7_000, 20_000)));
                amend(
                        at,
                        RandomFaults.RATE,
                        override -> override.withSchedule(override.schedule() == null ? other : null));
            }
            case 18 -> {
                at.engine().unregister(job);
                run.later(20_000, () -> register(at, job));
            }
            case 19 -> {
                amend(at, job, override -> override.withRemoved(true));
                run.later(20_000, () -> amend(at, job, override -> override.withRemoved(false)));
            }
            default -> {
                // perhaps one that is not there, or will not be by then
                Set<String> items = run.random.nextInt(4) == 0 ? Set.of(item) : Set.of();
                asked.add(new Asked(at, job, items, at.engine().trigger(job, Map.of(), items)));
            }
        }
    }

    private void amend(TestCluster.Instance at, String job, UnaryOperator<JobOverride> change) {
        at.engine().amend(job, change).exceptionally(error -> null);
    }

    /** Registers a job again, unless what ran of it has not returned yet. */
    void register(TestCluster.Instance at, String job) {
        try {
            if (at.alive()) {
                at.engine().register(run.runs, run.configurations.get(job));
            }
        } catch (JobConfigurationException e) {
            run.say(at.store() + " still has " + job + ": " + e.getMessage());
        }
    }

    private void close(TestCluster.Instance target) {
        long session = target.store().session();
        target.close();
        cluster.time().after(TestCluster.SESSION_TIMEOUT, () -> cluster.tree().expire(session));
    }

    private int reconnectLater(TestCluster.Instance target, int withinMillis) {
        int outage = ++lastOutage;
        outages.put(target, outage);
        run.later(withinMillis, () -> {
            if (outages.remove(target, outage) && !run.runs.killed(target)) {
                target.store().reconnect();
            }
        });
        return outage;
    }

    /** Takes back every fault that is not over; whoever has died stays dead. */
    void mend() {
        over = true;
        if (run.living().isEmpty()) {
            cluster.join();
        }
        for (TestCluster.Instance instance : run.living()) {
            InMemoryNodeStore store = instance.store();
            store.releaseRequests();
            store.releaseReplies();
            store.releaseWatches();
            store.lag(0);
            if (outages.remove(instance) != null) {
                store.reconnect();
            }
        }
        run.say("is mended");
    }
}
