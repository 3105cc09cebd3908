package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests an override that no living instance has been able to read. It may contain a pause, so no item of the job starts
 * until the override is replaced.
 */
class UnreadableOverrideTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final String OVERRIDE = "/jobs/job/override";
    private static final String NEWER = "{\"format\":5,\"paused\":true}";

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final List<String> runs = new ArrayList<>();
    private Runnable inMidRun = () -> {};

    static Stream<Named<String>> damages() {
        return Stream.of(
                Named.of("garbage", "garbage"),
                Named.of("nothing", ""),
                Named.of("a newer format", NEWER),
                Named.of("too much", "x".repeat(990_000)),
                Named.of("wrong types", "{\"format\":4,\"paused\":[],\"removed\":false,\"disabledItems\":[]}"),
                Named.of(
                        "a text for a boolean",
                        "{\"format\":4,\"paused\":\"yes\",\"removed\":false,\"disabledItems\":[]}"));
    }

    private void schedule() {
        cluster.schedule(
                this::record,
                JobConfiguration.newBuilder("job", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2));
        assertThat(runs).isNotEmpty();
    }

    private void record(ShardingContext context) {
        runs.add(context.instanceId());
        Runnable now = inMidRun;
        inMidRun = () -> {};
        now.run();
    }

    private void restartUnder(String damage) {
        cluster.instances().forEach(TestCluster.Instance::close);
        runs.clear();
        zkCli.write(OVERRIDE, damage);
        cluster.join();
    }

    private void assertNothingRuns() {
        boolean newer = zkCli.text(OVERRIDE).equals(NEWER);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
        cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(instance -> {
            JobHealth health = instance.engine().health().jobs().get("job");
            assertThat(health.status()).isEqualTo(JobHealth.Status.STOPPED);
            assertThat(health.reasons())
                    .anyMatch(reason -> reason.kind() == JobHealth.Kind.UNREADABLE
                            && reason.text().contains(OVERRIDE)
                            && reason.text().contains(newer ? "upgrade the library" : "pause or resume replaces it"));
        });
    }

    /**
     * Replaces a damaged override with a call. Such a call refuses an override in a newer format, which is deleted
     * manually instead.
     */
    private void replace(String damage) {
        if (damage.equals(NEWER)) {
            assertThatThrownBy(() -> cluster.amend("job", override -> override.withPaused(false)))
                    .hasRootCauseInstanceOf(CoordinationException.class)
                    .hasStackTraceContaining("format is 5");
            zkCli.delete(OVERRIDE);
        } else {
            cluster.amend("job", override -> override.withPaused(false));
        }
        cluster.advance(Duration.ofMinutes(2));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void pausedJobStaysStoppedAfterARestart(String damage) {
        schedule();
        cluster.amend("job", override -> override.withPaused(true));
        restartUnder(damage);
        assertNothingRuns();
        cluster.join();
        assertNothingRuns();
        JobRun run = cluster.trigger("job", Map.of());
        assertNothingRuns();
        assertThat(run.completion().toCompletableFuture()).isNotDone();

        replace(damage);

        assertThat(run.completion().toCompletableFuture()).isCompleted();
        assertThat(runs).hasSizeGreaterThan(10);
        cluster.close();
    }

    @ParameterizedTest
    @MethodSource("damages")
    void jobThatWasNeverPausedIsStoppedToo(String damage) {
        schedule();
        restartUnder(damage);
        assertNothingRuns();

        replace(damage);

        assertThat(runs).hasSizeGreaterThan(10);
        cluster.close();
    }

    @Test
    void newJobIsNotPlannedUnderAnUnreadableOverride() {
        cluster.schedule(this::record, JobConfiguration.newBuilder("other", 1).build());
        zkCli.write("/jobs/job", "");
        zkCli.write(OVERRIDE, "garbage");
        cluster.schedule(
                this::record,
                JobConfiguration.newBuilder("job", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        assertNothingRuns();
        cluster.close();
    }

    @Test
    void interruptedItemIsTakenOverOnceTheOverrideIsReplaced() {
        schedule();
        inMidRun = () -> cluster.instances().get(0).kill();
        cluster.advance(PERIOD);
        runs.clear();
        zkCli.write(OVERRIDE, "garbage");
        cluster.join();
        assertNothingRuns();
        assertThat(zkCli.text("/jobs/job/sharding/0") + zkCli.text("/jobs/job/sharding/1"))
                .contains("RUNNING");

        replace("garbage");

        assertThat(zkCli.text("/jobs/job/sharding/0") + zkCli.text("/jobs/job/sharding/1"))
                .contains("\"attempt\":1")
                .doesNotContain("RUNNING");
        assertThat(runs).hasSizeGreaterThan(10);
        cluster.close();
    }

    @Test
    void newLeaderWaitsForTheInstanceThatHasReadTheOverride() {
        schedule();
        cluster.join();
        cluster.join();
        cluster.amend("job", override -> override.withPaused(true));
        runs.clear();
        TestCluster.Instance leader = cluster.leader();
        leader.kill();
        zkCli.write(OVERRIDE, "garbage");
        cluster.advance(Duration.ofMinutes(5));

        assertThat(zkCli.text(OVERRIDE)).contains("\"paused\":true");
        assertThat(runs).isEmpty();
        cluster.amend("job", override -> override.withPaused(false));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(runs).hasSizeGreaterThan(10).doesNotContain(leader.id());
        cluster.close();
    }

    @Test
    void joiningInstanceRunsNothingUnderAnOverrideItCannotRead() {
        schedule();
        zkCli.write(OVERRIDE, NEWER);
        TestCluster.Instance joined = cluster.join();
        runs.clear();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(runs).isNotEmpty().doesNotContain(joined.id());
        assertThat(zkCli.text(OVERRIDE)).isEqualTo(NEWER);
        cluster.close();
    }
}
