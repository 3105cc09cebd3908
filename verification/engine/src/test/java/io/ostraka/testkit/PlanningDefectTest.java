package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.operations.Commands;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that health reports a defect of the leader that prevents the planning of one job, and that other jobs are not
 * affected.
 */
class PlanningDefectTest {
    private static final String PLAN = "/jobs/broken/sharding";

    private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final InMemoryCoordination tree = new InMemoryCoordination(time::now);
    private final List<String> runs = new ArrayList<>();
    /** Selects the requests that fail with an unexpected exception, by the method's name and its first argument. */
    private BiPredicate<String, Object> fault = (method, argument) -> false;

    private boolean thrown;
    private JobEngine leader;

    @BeforeEach
    void startLeaderWithTwoJobs() {
        leader = join("first");
    }

    @AfterEach
    void close() {
        leader.close();
    }

    private JobEngine join(String name) {
        Platform platform = time.platform(Duration.ZERO);
        InMemoryNodeStore real = tree.connect(name, time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT);
        NodeStore store = (NodeStore) Proxy.newProxyInstance(
                NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    if (arguments == null || !fault.test(method.getName(), arguments[0])) {
                        return method.invoke(real, arguments);
                    }
                    if (thrown) {
                        throw new IllegalStateException("on purpose");
                    }
                    return CompletableFuture.failedStage(new IllegalStateException("on purpose"));
                });
        JobEngine engine = new JobEngine(
                EngineSettings.of(name, 1),
                new TreeCoordination(store, platform.clock()),
                platform,
                Map.of(JobConfiguration.DEFAULT_STRATEGY, new StickyBalancedStrategy()));
        engine.start();
        for (String job : List.of("broken", "neighbour")) {
            Job code = (SimpleJob) context -> runs.add(job + " on " + name);
            engine.register(
                    code,
                    JobConfiguration.newBuilder(job, 2)
                            .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                            .build());
        }
        time.advance(Duration.ofSeconds(5));
        return engine;
    }

    private Optional<Reason> defect() {
        return leader.health().jobs().get("broken").reason(Kind.PLANNING_DEFECT);
    }

    private static boolean writesPlan(Object operations) {
        return operations instanceof List<?> list
                && list.stream()
                        .anyMatch(operation -> operation instanceof NodeOp.Set set
                                && set.path().equals(PLAN));
    }

    private void assertReportedSince(Instant before) {
        Reason first = defect().orElseThrow();
        assertThat(first.text()).contains("IllegalStateException: on purpose", "the plan in force stays", "report it");
        assertThat(first.since()).isBetween(before, before.plusSeconds(5));
        time.advance(Duration.ofSeconds(30));
        assertThat(defect()).as("reason with its start time").contains(first);
    }

    @Test
    void throwingPlannerKeepsThePlanAndOtherJobsArePlanned() {
        thrown = true;
        fault = (method, argument) -> method.equals("commit") && writesPlan(argument);
        Instant before = time.now();
        JobEngine newcomer = join("second");

        assertReportedSince(before);
        assertThat(leader.health().jobs().get("broken").status()).isEqualTo(Status.LIMITED);
        runs.clear();
        time.advance(Duration.ofSeconds(5));
        assertThat(runs)
                .contains("broken on first", "neighbour on first", "neighbour on second")
                .doesNotContain("broken on second");

        fault = (method, argument) -> false;
        runs.clear();
        time.advance(Duration.ofSeconds(10));
        assertThat(leader.health().good()).isTrue();
        assertThat(runs).contains("broken on second");
        newcomer.close();
    }

    @Test
    void unexpectedFailureOfAReplyIsReportedUntilItSucceeds() {
        fault = (method, argument) -> method.equals("children") && argument.equals(PLAN);
        Instant before = time.now();
        new Commands(leader.operations()).amend("broken", override -> override.withShardingTotalCount(3));
        time.advance(Duration.ofSeconds(5));

        assertReportedSince(before);
        runs.clear();
        time.advance(Duration.ofSeconds(5));
        assertThat(runs).contains("neighbour on first").doesNotContain("broken on first");

        fault = (method, argument) -> false;
        time.advance(Duration.ofSeconds(10));
        assertThat(leader.health().good()).isTrue();
        assertThat(runs).contains("broken on first");
    }
}
