package io.ostraka.testkit;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.core.model.JobOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sequence of faults, chosen by a seed, against a job at a fixed rate and one that is only triggered; then everything
 * is mended but what the engine must mend itself, and the books are checked.
 */
final class RandomFaults {
    static final String RATE = "rate";
    static final String ONCE = "once";
    static final List<String> JOBS = List.of(RATE, ONCE);
    static final int MOST_ITEMS = 6;

    private static final Logger log = LoggerFactory.getLogger(RandomFaults.class);
    private static final Duration TROUBLE = Duration.ofMinutes(3);

    final SplittableRandom random;
    final TestCluster cluster;
    final LedgerHistory ledger = new LedgerHistory();
    final WatchedRuns runs = new WatchedRuns(this);
    final Map<String, JobConfiguration> configurations = new HashMap<>();
    final List<String> violations = new ArrayList<>();
    private final Faults faults;

    RandomFaults(long seed) {
        random = new SplittableRandom(seed);
        cluster = new TestCluster(3 + random.nextInt(2), Instant.parse("2026-01-01T00:00:00Z"), seed);
        cluster.tree().onCommit(transaction -> {
            ledger.add(transaction);
            say("commits " + LedgerHistory.text(transaction));
        });
        faults = new Faults(this);
    }

    /**
     * Lets it all happen.
     *
     * @throws AssertionError saying what was wrong first
     */
    void run() {
        schedule(JobConfiguration.newBuilder(RATE, 1 + random.nextInt(MOST_ITEMS))
                .schedule(Schedule.fixedRate(Duration.ofSeconds(10))));
        schedule(JobConfiguration.newBuilder(ONCE, 1 + random.nextInt(MOST_ITEMS)));
        int number = 1 + random.nextInt(40);
        int withinMillis = pick(20_000, 60_000, (int) TROUBLE.toMillis());
        for (int i = 0; i < number; i++) {
            later(withinMillis, faults::strike);
        }
        Instant end = cluster.now().plus(TROUBLE);
        while (cluster.now().isBefore(end)) {
            cluster.advance(Duration.ofMillis(1 + random.nextInt(random.nextBoolean() ? 100 : 20_000)));
        }
        runs.makeInstant();
        faults.mend();
        cluster.advance(Duration.ofSeconds(30));
        JOBS.forEach(job -> living().forEach(instance -> faults.register(instance, job)));
        JOBS.forEach(this::putInOrder);
        cluster.advance(Duration.ofSeconds(150));
        new Aftermath(this, faults.asked()).check();
        cluster.close();
        expect(
                "nobody is left once closed",
                cluster.tree().children("/instances").isEmpty());
        violations.addAll(ledger.violations());
        if (!violations.isEmpty()) {
            throw new AssertionError(String.join("\n  ", violations.subList(0, Math.min(5, violations.size()))));
        }
    }

    private void schedule(JobConfiguration.Builder job) {
        JobConfiguration configuration = job.misfire(
                        pick(MisfirePolicy.fireOnce(), MisfirePolicy.skip(), MisfirePolicy.fireAll(3)))
                .overlap(pick(OverlapPolicy.skip(), OverlapPolicy.coalesce(), OverlapPolicy.queue(2)))
                .sessionLoss(pick(SessionLossPolicy.INTERRUPT, SessionLossPolicy.KEEP_RUNNING))
                .failover(random.nextInt(4) != 0)
                .shutdownGrace(Duration.ofSeconds(random.nextInt(20)))
                .maxAttempts(pick(1_000, 1_000, 1, 2))
                .build();
        configurations.put(configuration.jobName(), configuration);
        cluster.schedule(runs, configuration);
    }

    /** Takes back what operators have wanted, but for the item count. */
    private void putInOrder(String job) {
        int count = 1 + random.nextInt(MOST_ITEMS);
        UnaryOperator<JobOverride> change = present -> JobOverride.NONE.withShardingTotalCount(count);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Void> done =
                    living().get(0).engine().amend(job, change).toCompletableFuture();
            cluster.advance(Duration.ofSeconds(5));
            if (done.isDone() && !done.isCompletedExceptionally()) {
                return;
            }
        }
        violations.add("job " + job + " can't be changed any more");
    }

    // ---- for the others

    List<TestCluster.Instance> living() {
        return cluster.instances().stream().filter(TestCluster.Instance::alive).toList();
    }

    @SafeVarargs
    final <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    void later(int withinMillis, Runnable task) {
        cluster.time().after(Duration.ofMillis(random.nextInt(withinMillis)), task);
    }

    void expect(String what, boolean holds) {
        if (!holds) {
            violations.add("not so: " + what);
        }
    }

    void say(String what) {
        log.debug("{} {}", cluster.now(), what);
    }
}
