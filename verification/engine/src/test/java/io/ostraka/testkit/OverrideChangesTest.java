package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.Schedule;
import io.ostraka.api.UnknownOutcomeException;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Amendment.Changed;
import io.ostraka.core.coordination.Amendment.Conflict;
import io.ostraka.core.coordination.Amendment.Unchanged;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OstrakaExtension.class)
class OverrideChangesTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<Instant> runs = new ArrayList<>();

    private void schedule(TestCluster cluster) {
        schedule(cluster, job());
    }

    private void schedule(TestCluster cluster, JobConfiguration.Builder job) {
        cluster.schedule(context -> runs.add(cluster.now()), job.build());
        cluster.advance(PERIOD);
        runs.clear();
    }

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 1).schedule(Schedule.fixedRate(PERIOD));
    }

    private static JobOverride.Change origin(TestCluster cluster, @Nullable Duration length) {
        Instant now = cluster.now();
        return new JobOverride.Change("alice", "a migration", now, length == null ? null : now.plus(length));
    }

    private static void pause(TestCluster cluster, Duration length) {
        JobOverride.Change origin = origin(cluster, length);
        cluster.amend("job", override -> override.withPaused(true).because(origin, Set.of("paused")));
    }

    private static Amendment.Result amend(TestCluster cluster, Amendment amendment) {
        return cluster.amend("job", amendment);
    }

    private static Amendment.Result amend(
            TestCluster cluster, @Nullable Long expected, UnaryOperator<JobOverride> change) {
        return amend(cluster, new Amendment(change, expected, null));
    }

    private static void assertRefused(TestCluster cluster, String message, UnaryOperator<JobOverride> change) {
        String before = new ZkCli(cluster).text("/jobs/job/override");
        assertThatThrownBy(() -> cluster.amend("job", change))
                .hasRootCauseInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("job 'job': ")
                .hasMessageContaining(message);
        assertThat(new ZkCli(cluster).text("/jobs/job/override")).isEqualTo(before);
    }

    private static <T> JobOverride with(JobOverride override, JobField<T> field, @Nullable Object value) {
        @SuppressWarnings("unchecked")
        T next = (T) value;
        return override.with(field, next);
    }

    private static JobOverride with(JobOverride override, String field, @Nullable Object value) {
        return with(override, JobOverride.requireField("job", field), value);
    }

    @Test
    void pauseEndsByItselfAtItsEnd(TestCluster cluster) {
        schedule(cluster);
        Instant end = cluster.now().plus(MINUTE);
        pause(cluster, MINUTE);
        cluster.advance(MINUTE.multipliedBy(3));

        assertThat(runs).isNotEmpty();
        assertThat(runs.get(0)).isBetween(end, end.plusSeconds(1));
        assertThat(new ZkCli(cluster).text("/jobs/job/override")).doesNotContain("paused", "changes");
    }

    /** The node of the next job's override has the same version as the one that the leader has read. */
    @Test
    void endOfAChangeDoesNotReplaceTheOverrideOfTheNextJob(TestCluster cluster) {
        schedule(cluster);
        pause(cluster, MINUTE);
        InMemoryNodeStore store = cluster.tree().connect("leader", Runnable::run);
        store.start(new DeafListener());
        Jobs jobs = new TreeCoordination(store, new SystemClock()).jobs();
        JobView seen = jobs.job("job").toCompletableFuture().join();
        cluster.instances().forEach(TestCluster.Instance::close);
        cluster.advance(MINUTE);
        ZkCli hand = new ZkCli(cluster);
        String definition = hand.text("/jobs/job/config");
        hand.delete("/jobs/job");
        hand.write("/jobs/job", "");
        hand.write("/jobs/job/config", definition);
        hand.write("/jobs/job/override", "{}");
        String next = "{\"format\":4,\"removed\":false,\"disabledItems\":[\"0\"]}";
        hand.write("/jobs/job/override", next);
        assertThat(hand.version("/jobs/job/override"))
                .isEqualTo(Objects.requireNonNull(seen.override()).version());

        Leadership leader = new Leadership("/instances", hand.version("/leader/epoch"), 0, null);
        TransactionResult result = jobs.endChanges(leader, seen, JobOverride.NONE)
                .toCompletableFuture()
                .join();

        assertThat(result).isInstanceOf(TransactionResult.Outdated.class);
        assertThat(hand.text("/jobs/job/override")).isEqualTo(next);
    }

    /** A job that is registered as paused would otherwise run once the operator's change has ended. */
    @Test
    void definitionsValueReturnsAtTheEnd(TestCluster cluster) {
        schedule(cluster, job().paused(true));
        JobOverride.Change origin = origin(cluster, MINUTE);
        cluster.amend("job", override -> override.withPaused(false).because(origin, Set.of("paused")));
        cluster.advance(MINUTE);
        assertThat(runs).isNotEmpty();
        runs.clear();
        cluster.advance(MINUTE);

        assertThat(runs).isEmpty();
    }

    @Test
    void everyChangeCanEndExceptThoseThatLast(TestCluster cluster) {
        schedule(cluster);
        JobOverride.Change origin = origin(cluster, MINUTE);
        cluster.amend("job", override -> with(with(override, "maxAttempts", 7), "timeout", MINUTE)
                .withShardingTotalCount(3)
                .withDisabledItems(Set.of("1"))
                .withDisabledInstances(Set.of("elsewhere"))
                .because(
                        origin,
                        List.of("maxAttempts", "timeout", "shardingTotalCount", "disabledItems", "disabledInstances")));
        cluster.advance(MINUTE.plus(PERIOD));
        assertThat(new ZkCli(cluster).text("/jobs/job/override")).isEqualTo("{\"format\":4}");

        String lasts = "accepted: none, because the change lasts";
        JobOverride.Change next = origin(cluster, MINUTE);
        assertRefused(cluster, lasts, override -> override.withRemoved(true).because(next, Set.of("removed")));
        assertRefused(
                cluster, lasts, override -> override.withSkipTo(next.until()).because(next, Set.of("skipTo")));
        assertRefused(
                cluster, lasts, override -> with(override, "fenceEpoch", 1).because(next, Set.of("fenceEpoch")));
    }

    @Test
    void changeEndsUnderTheNextLeader(TestCluster cluster) {
        schedule(cluster);
        pause(cluster, MINUTE);
        cluster.advance(Duration.ofSeconds(20));
        cluster.leader().kill();
        cluster.advance(MINUTE);

        assertThat(runs).isNotEmpty();
    }

    @Test
    void changeThatEndedWithoutALeaderEndsWhenOneReturns(@Instances(1) TestCluster cluster) {
        schedule(cluster);
        pause(cluster, MINUTE);
        cluster.instances().get(0).close();
        cluster.advance(MINUTE.multipliedBy(5));
        cluster.join();
        cluster.advance(PERIOD.multipliedBy(2));

        assertThat(runs).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-10, 10})
    void wrongClockOfTheLeaderDoesNotMatter(int hours, @Instances(0) TestCluster cluster) {
        cluster.join(Duration.ofHours(hours));
        schedule(cluster, job().paused(true));
        JobOverride.Change origin = origin(cluster, MINUTE);
        cluster.amend("job", override -> override.withPaused(true).because(origin, Set.of("paused")));
        cluster.advance(MINUTE.minusSeconds(5));
        assertThat(new ZkCli(cluster).text("/jobs/job/override")).contains("alice");
        cluster.advance(Duration.ofSeconds(5));
        assertThat(new ZkCli(cluster).text("/jobs/job/override")).doesNotContain("alice");
    }

    @Test
    void waitingForAnEndCostsNoRequests(@Instances(1) TestCluster cluster) {
        schedule(cluster, job().schedule(Schedule.onDemand()));
        pause(cluster, Duration.ofHours(3));
        cluster.advance(MINUTE);
        long with = requests(cluster);
        cluster.amend("job", override -> override.withPaused(null));
        cluster.advance(MINUTE);

        assertThat(requests(cluster)).isEqualTo(with);
    }

    private static long requests(TestCluster cluster) {
        InMemoryNodeStore store = cluster.instances().get(0).store();
        var before = store.operations();
        cluster.advance(Duration.ofHours(1));
        var after = store.operations();
        return after.commits()
                + after.reads()
                + after.children()
                - before.commits()
                - before.reads()
                - before.children();
    }

    @Test
    void endCanBeMovedWithoutAnotherValue(TestCluster cluster) {
        schedule(cluster);
        pause(cluster, MINUTE);
        pause(cluster, MINUTE.multipliedBy(3));
        cluster.advance(MINUTE.multipliedBy(2));
        assertThat(runs).isEmpty();
        cluster.advance(MINUTE.multipliedBy(2));

        assertThat(runs).isNotEmpty();
    }

    @Test
    void anotherValueHasNoEndOfTheFormerOne(TestCluster cluster) {
        schedule(cluster);
        JobOverride.Change origin = origin(cluster, MINUTE);
        cluster.amend("job", override -> override.withJobParameter("a").because(origin, Set.of("jobParameter")));
        cluster.amend("job", override -> override.withJobParameter("b"));
        cluster.advance(MINUTE.multipliedBy(2));

        assertThat(new ZkCli(cluster).text("/jobs/job/override"))
                .contains("\"jobParameter\":\"b\"")
                .doesNotContain("alice");
    }

    @Test
    void originStandsInTheNodeAndIsKeptByTheSameChange(TestCluster cluster) {
        schedule(cluster);
        JobOverride.Change origin = origin(cluster, null);
        amend(cluster, null, override -> override.withPaused(true).because(origin, Set.of("paused")));
        JobOverride.Change again = new JobOverride.Change("bob", "a migration", cluster.now(), null);
        Amendment.Result result =
                amend(cluster, null, override -> override.withPaused(true).because(again, Set.of("paused")));

        assertThat(result).isInstanceOfSatisfying(Unchanged.class, unchanged -> {
            assertThat(unchanged.repeated()).isFalse();
            assertThat(unchanged.override().value().changes()).containsOnlyKeys("paused");
            assertThat(unchanged.override().value().changes().get("paused")).isEqualTo(origin);
        });
        assertThat(new ZkCli(cluster).text("/jobs/job/override"))
                .contains("\"changes\":{\"paused\":{\"by\":\"alice\",\"reason\":\"a migration\",\"at\":\"2026-");
    }

    @Test
    void repeatedRequestChangesNothing(TestCluster cluster) {
        schedule(cluster);
        Amendment pause = new Amendment(override -> override.withPaused(true), null, "request-1");
        assertThat(amend(cluster, pause)).isInstanceOf(Changed.class);
        cluster.resume("job");

        assertThat(amend(cluster, pause))
                .isInstanceOfSatisfying(Unchanged.class, unchanged -> assertThat(unchanged.repeated())
                        .isTrue());
        cluster.advance(MINUTE);
        assertThat(runs).isNotEmpty();
    }

    @Test
    void repeatedRequestWithAnExpectationIsNoConflict(TestCluster cluster) {
        schedule(cluster);
        Amendment pause = new Amendment(override -> override.withPaused(true), 0L, "request-1");
        amend(cluster, pause);

        assertThat(amend(cluster, pause)).isInstanceOf(Unchanged.class);
    }

    @Test
    void remembersTheLastSixteenRequests(TestCluster cluster) {
        schedule(cluster);
        for (int i = 0; i < 20; i++) {
            String parameter = "p" + i;
            amend(cluster, new Amendment(override -> override.withJobParameter(parameter), null, "request-" + i));
        }
        assertThat(amend(cluster, new Amendment(override -> override.withJobParameter("x"), null, "request-4")))
                .isInstanceOf(Unchanged.class);
        assertThat(amend(cluster, new Amendment(override -> override.withJobParameter("y"), null, "request-3")))
                .isInstanceOf(Changed.class);
    }

    @Test
    void otherOverrideThanExpectedIsAConflict(TestCluster cluster) {
        schedule(cluster);
        assertThat(amend(cluster, 7L, override -> override.withPaused(true))).isEqualTo(new Conflict(null));
        Changed first = (Changed) amend(cluster, 0L, override -> override.withPaused(true));
        assertThat(first.names()).containsExactly("paused");
        assertThat(amend(cluster, 0L, override -> override.withPaused(false)))
                .isInstanceOfSatisfying(Conflict.class, conflict -> {
                    assertThat(conflict.present().mzxid())
                            .isEqualTo(first.override().mzxid());
                    assertThat(conflict.present().value())
                            .isEqualTo(first.override().value());
                });
        Amendment.Result second = amend(cluster, first.override().mzxid(), override -> override.withPaused(false));
        assertThat(second).isInstanceOfSatisfying(Changed.class, changed -> {
            Versioned<JobOverride> written = changed.override();
            assertThat(written.version()).isEqualTo(new ZkCli(cluster).version("/jobs/job/override"));
            assertThat(written.value().paused()).isFalse();
            assertThat(written.mzxid()).isGreaterThan(first.override().mzxid());
        });
    }

    @Test
    void lostReplyIsAnUnknownOutcome(TestCluster cluster) {
        schedule(cluster);
        Amendment pause = new Amendment(override -> override.withPaused(true), null, "request-1");
        TestCluster.Instance instance = cluster.instances().get(0);
        cluster.advance(Duration.ofMillis(1500));
        instance.store().loseNextReply();
        CompletableFuture<Amendment.Result> result =
                instance.commands().amend("job", pause).toCompletableFuture();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(result).isCompletedExceptionally();
        assertThatThrownBy(result::join).hasRootCauseInstanceOf(UnknownOutcomeException.class);
        cluster.advance(MINUTE);

        assertThat(amend(cluster, pause))
                .isInstanceOfSatisfying(Unchanged.class, unchanged -> assertThat(unchanged.repeated())
                        .isTrue());
    }

    @Test
    void fenceEpochOnlyRises(TestCluster cluster) {
        schedule(cluster, job().fenceEpoch(2));
        assertRefused(
                cluster,
                "fenceEpoch is '2'; accepted: more than the present 2",
                override -> with(override, "fenceEpoch", 2));
        cluster.amend("job", override -> with(override, "fenceEpoch", 5));
        assertRefused(
                cluster,
                "fenceEpoch is '4'; accepted: more than the present 5",
                override -> with(override, "fenceEpoch", 4));
        assertRefused(
                cluster,
                "fenceEpoch is '2'; accepted: the definition's value only from 5 on",
                override -> override.without(JobOverride.requireField("job", "fenceEpoch")));
        assertRefused(
                cluster, "fenceEpoch is '2048'; accepted: 0 to 2047", override -> with(override, "fenceEpoch", 2048));
        assertRefused(cluster, "fenceEpoch", override -> JobOverride.NONE);
    }

    /** The definition's value applies as soon as it is larger than the override, which is then no longer needed. */
    @Test
    void fenceEpochIsTheLargerOfDefinitionAndOverride() {
        JobOverride override = with(JobOverride.NONE, "fenceEpoch", 5);

        assertThat(override.applyTo(job().fenceEpoch(7).build()).fenceEpoch()).isEqualTo(7);
        assertThat(override.applyTo(job().fenceEpoch(3).build()).fenceEpoch()).isEqualTo(5);
    }

    @Test
    void skipToOnlyRises(TestCluster cluster) {
        schedule(cluster);
        Instant at = cluster.now();
        cluster.amend("job", override -> override.withSkipTo(at));
        assertRefused(cluster, "skipTo is", override -> override.withSkipTo(at.minusSeconds(1)));
        assertRefused(cluster, "skipTo is", override -> override.withSkipTo(null));
        cluster.amend("job", override -> override.withSkipTo(at.plusSeconds(1)));
        cluster.amend("job", override -> override.withSchedule(Schedule.fixedDelay(PERIOD)));
        for (Schedule schedule : List.of(
                Schedule.fixedDelay(PERIOD),
                Schedule.adaptive(PERIOD, 2),
                Schedule.continuous(PERIOD),
                Schedule.onDemand())) {
            cluster.amend("job", override -> override.withSchedule(schedule));
            assertRefused(cluster, "fires can be skipped of", override -> override.withSkipTo(at.plusSeconds(2)));
        }
    }

    @Test
    void invalidChangesAreRefusedByName(TestCluster cluster) {
        schedule(cluster, job().timeout(MINUTE));
        assertRefused(
                cluster, "concurrency is '-1'; accepted: 0 or more", override -> with(override, "concurrency", -1));
        assertRefused(cluster, "maxAttempts is 'null'", override -> with(override, "maxAttempts", null));
        assertRefused(cluster, "antiAffinity is 'job'", override -> with(override, "antiAffinity", "job"));
        assertRefused(
                cluster,
                "schedule is '0 0 0 30 2 ?'",
                override -> override.withSchedule(Schedule.cron("0 0 0 30 2 ?")));
        assertRefused(
                cluster, "overridden field is 'scope'; accepted: one of [", override -> with(override, "scope", "x"));
        JobOverride.Change past = origin(cluster, Duration.ofSeconds(-1));
        assertRefused(cluster, "the end of the change of paused is '", override -> override.withPaused(true)
                .because(past, Set.of("paused")));
        cluster.amend("job", override -> with(override, "timeout", null));
    }

    /**
     * After the end of the overridden item count, the item parameter would belong to no item, and the leader could not
     * plan the job.
     */
    @Test
    void changeThatIsInvalidAfterTheEndOfAnotherIsRefused(TestCluster cluster) {
        schedule(cluster);
        JobOverride.Change origin = origin(cluster, MINUTE);
        assertRefused(cluster, "shardingItemParameters is '2=…'; accepted: items from 0 to 0", override -> with(
                        override.withShardingTotalCount(3), "shardingItemParameters", java.util.Map.of(2, "x"))
                .because(origin, Set.of("shardingTotalCount")));
    }
}
