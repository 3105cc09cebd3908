package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SkipReason;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which fires run after the death of an instance, which ones are skipped, and what log and health say about it. */
class MisfiredFiresTest {
    private static final Instant START = Instant.parse("2026-03-01T01:50:00Z");

    private final List<Instant> fires = new ArrayList<>();
    private final TestCluster cluster = new TestCluster(1, START, 0);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void schedule(String cron, MisfirePolicy policy) {
        cluster.schedule(
                this::run,
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.cron(cron, ZoneOffset.UTC))
                        .misfire(policy)
                        .build());
    }

    private void run(ShardingContext context) {
        fires.add(context.fireTime());
    }

    private static Instant at(String time) {
        return Instant.parse("2026-03-01T" + time + "Z");
    }

    private void advanceTo(Instant time) {
        cluster.advance(Duration.between(cluster.now(), time));
    }

    private Optional<Reason> reason() {
        return cluster.operations().job("settle").summary().health().stream()
                .map(reported -> reported.reason())
                .filter(reason -> reason.kind() == Kind.SKIPPED_FIRES)
                .findFirst();
    }

    private void ownerDies() {
        TestCluster.Instance owner = cluster.instances().get(0);
        cluster.join();
        owner.kill();
    }

    /** The session timeout is 15 s or less, and the threshold twice of it, so all fires were younger than the threshold. */
    @Test
    void latestFireRunsAndEarlierOnesAreReportedAfterTheDeathOfAnOwner() throws Exception {
        schedule("0/5 * * * * ?", MisfirePolicy.fireOnce());
        advanceTo(at("02:00:02"));
        fires.clear();
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            ownerDies();
            advanceTo(at("02:01:02"));

            Instant first = fires.get(0);
            long skipped = Duration.between(at("02:00:00"), first).dividedBy(Duration.ofSeconds(5)) - 1;
            assertThat(skipped).isPositive();
            assertThat(fires)
                    .containsExactlyElementsOf(Stream.iterate(first, fire -> fire.plusSeconds(5))
                            .limit(fires.size())
                            .toList())
                    .endsWith(at("02:01:00"));
            String expected = "item 0 could not start " + skipped + " fires in time, due from 2026-03-01T02:00:05Z to "
                    + first.minusSeconds(5) + ", and skipped them, as the policy misfire says";
            assertThat(log.lines("could not start")).singleElement().asString().contains("job 'settle': " + expected);
            assertThat(reason())
                    .hasValueSatisfying(reason -> assertThat(reason.text()).startsWith(expected));
            assertThat(cluster.leader().health().good()).isTrue();
            assertThat(cluster.leader().health().needsAttention()).isFalse();
        }
        cluster.advance(Duration.ofMinutes(12));
        assertThat(reason()).isEmpty();
    }

    /** The item counts as running until another instance has run its interrupted fire again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firesOverlapTheFireThatADeadOwnerHasLeftUnfinished(boolean failover) throws Exception {
        cluster.schedule(
                context -> {
                    run(context);
                    if (context.attempt() == 1 && context.fireTime().equals(at("02:00:00"))) {
                        ownerDies();
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.cron("0/5 * * * * ?", ZoneOffset.UTC))
                        .failover(failover)
                        .build());
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            advanceTo(at("02:01:02"));

            assertThat(log.lines("could not start"))
                    .singleElement()
                    .asString()
                    .contains("due from 2026-03-01T02:00:05Z", ", as the policies misfire and overlap say");
        }
        assertThat(fires.stream().filter(at("02:00:00")::equals)).hasSize(failover ? 2 : 1);
        assertThat(fires).doesNotContain(at("02:00:05")).endsWith(at("02:01:00"));
        assertThat(reason()).isPresent();
    }

    @Test
    void allFiresRunAfterTheDeathOfAnOwnerIfThePolicySaysSo() throws Exception {
        schedule("0/5 * * * * ?", MisfirePolicy.fireAll(100));
        advanceTo(at("02:00:02"));
        fires.clear();
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            ownerDies();
            advanceTo(at("02:01:02"));
            assertThat(log.lines("could not start")).isEmpty();
        }

        assertThat(fires)
                .containsExactlyElementsOf(Stream.iterate(at("02:00:05"), fire -> fire.plusSeconds(5))
                        .limit(12)
                        .toList());
        assertThat(reason()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"02:00:10, skip", "02:00:30, fire-once", "02:10:00, fire-once", "02:10:00, fire-all(5)"})
    void nightlyFireRunsWhenItsInstanceIsBack(String back, String policy) {
        schedule("0 0 2 * * ?", MisfirePolicy.of(policy));
        advanceTo(at("01:59:00"));
        cluster.instances().get(0).kill();
        advanceTo(at(back));
        cluster.join();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(fires).containsExactly(at("02:00:00"));
        assertThat(reason()).isEmpty();
    }

    @Test
    void fireThatIsSkippedIsReportedUntilALaterOneStartsInTime() throws Exception {
        schedule("0 0 * * * ?", MisfirePolicy.skip());
        advanceTo(at("01:59:00"));
        cluster.instances().get(0).kill();
        advanceTo(at("02:10:00"));
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            cluster.join();
            cluster.advance(Duration.ofMinutes(1));
            assertThat(log.lines("item 0 could not start 1 fire in time, due at 2026-03-01T02:00:00Z, and skipped it,"
                            + " as the policy misfire says"))
                    .hasSize(1);
            advanceTo(at("02:50:00"));
            assertThat(reason()).isPresent();
            advanceTo(at("03:10:00"));
            assertThat(log.lines("could not start")).as("the same fire").hasSize(1);
        }
        assertThat(fires).containsExactly(at("03:00:00"));
        assertThat(cluster.operations().items("settle", Set.of()).get(0).skipped())
                .containsExactly(new ItemDetails.Skipped(at("02:00:00"), at("02:00:00"), 1, SkipReason.MISFIRED));
        advanceTo(at("04:05:00"));
        assertThat(reason()).isEmpty();
    }

    /** The operator who has paused the job, or frozen the namespace, knows of these fires. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firesOfAPauseOrAFreezeAreNotReported(boolean pause) throws Exception {
        schedule("0/5 * * * * ?", MisfirePolicy.fireOnce());
        advanceTo(at("02:00:02"));
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            execute(pause ? new Command.Pause("settle") : new Command.Freeze(null));
            advanceTo(at("02:05:02"));
            execute(pause ? new Command.Resume("settle") : new Command.Thaw());
            advanceTo(at("02:07:02"));
            assertThat(log.lines("could not start")).isEmpty();
        }
        assertThat(reason()).isEmpty();
        assertThat(fires).contains(at("02:05:00")).doesNotContain(at("02:04:50"));
    }

    private void execute(Command command) {
        cluster.operations().execute(command, CommandOptions.by("ann"));
    }

    /** ZooKeeper refuses claims for a few seconds, again and again. */
    @Test
    void jobThatSkipsFiresAgainAndAgainWritesOneLineAMinute() throws Exception {
        schedule("* * * * * ?", MisfirePolicy.fireOnce());
        advanceTo(at("02:00:00"));
        try (InfoLog log = new InfoLog("io.ostraka.core.job.SkippedFires")) {
            for (int i = 0; i < 60; i++) {
                cluster.tree().refuse(operation -> operation.path().matches("/jobs/settle/sharding/\\d+"));
                cluster.advance(Duration.ofSeconds(4));
                cluster.tree().refuse(operation -> false);
                cluster.advance(Duration.ofSeconds(6));
            }
            assertThat(log.lines("could not start")).hasSizeBetween(8, 11);
        }
    }
}
