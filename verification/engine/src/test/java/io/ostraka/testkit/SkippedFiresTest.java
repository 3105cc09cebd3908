package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SkipReason;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests operators who skip fires of an hourly job. Without the skip, the job would catch up on all missed fires. */
@ExtendWith(OstrakaExtension.class)
class SkippedFiresTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Instant> fires = new ArrayList<>();

    private void hourly(TestCluster cluster) {
        cluster.schedule(
                context -> ran(context),
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .misfire(MisfirePolicy.fireAll(100))
                        .build());
    }

    private void ran(ShardingContext context) {
        fires.add(context.fireTime());
    }

    private static Instant hour(TestCluster cluster) {
        return cluster.now().truncatedTo(ChronoUnit.HOURS);
    }

    private static String record(TestCluster cluster) {
        return new ZkCli(cluster).text("/jobs/settle/sharding/0");
    }

    @Tag("slow")
    @Test
    void missedFiresBeforeTheTimeAreSkippedWithTheirReason(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("settle"), ANN);
        cluster.advance(HOUR.multipliedBy(6));
        Instant last = hour(cluster);

        CommandResult preview = operations.execute(new Command.SkipFires("settle", last.minus(HOUR)), ANN.asDryRun());
        operations.execute(new Command.SkipFires("settle", last.minus(HOUR)), ANN);
        operations.execute(new Command.Resume("settle"), ANN);
        cluster.advance(Duration.ofMinutes(1));

        assertThat(fires).containsOnly(last.minus(HOUR), last).hasSize(4);
        assertThat(preview.text()).containsPattern("skips (4|5) missed fires of each of 2 items");
        assertThat(operations.job("settle").skipTo()).isEqualTo(last.minus(HOUR));
        assertThat(operations.job("settle").changes().get("skipTo"))
                .isNotNull()
                .satisfies(change -> assertThat(change.reason()).isEqualTo("ticket 7"));
    }

    @Test
    void comingFiresAreSkippedAndViewsSaySo(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant to = hour(cluster).plus(HOUR.multipliedBy(4));

        CommandResult preview = operations.execute(new Command.SkipFires("settle", to), ANN.asDryRun());
        operations.execute(new Command.SkipFires("settle", to), ANN);
        cluster.advance(Duration.ofSeconds(10)); // the leader copies the time into the plan

        assertThat(preview.text()).contains("skips the next 3 fires of every item", "the next fire is at " + to);
        assertThat(operations.nextFires("settle", 2)).containsExactly(to, to.plus(HOUR));
        assertThat(operations.job("settle").summary()).satisfies(job -> {
            assertThat(job.state()).isEqualTo(JobState.ACTIVE);
            assertThat(job.stateText()).contains(to.toString(), "ann", "ticket 7");
            assertThat(job.nextFire()).isEqualTo(to);
        });
        assertThat(operations.forecast(to.minus(HOUR), HOUR, 2).slots())
                .extracting(slot -> slot.fires().getOrDefault("settle", 0))
                .containsExactly(0, 1);
        cluster.advance(HOUR.multipliedBy(5));
        assertThat(fires).isNotEmpty().allMatch(fire -> !fire.isBefore(to));
        assertThat(operations.job("settle").summary().stateText()).isEmpty();
        assertThat(record(cluster)).doesNotContain("MISFIRED");
    }

    @Tag("slow")
    @Test
    void firesThatWereSkippedAreReadInTheRecord(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant to = hour(cluster).plus(HOUR.multipliedBy(4));
        operations.execute(new Command.SkipFires("settle", to), ANN);
        cluster.advance(Duration.between(cluster.now(), to).plusSeconds(10));

        assertThat(record(cluster)).contains("\"count\":3,\"reason\":\"SKIPPED_BY_OPERATOR\"");
        assertThat(operations.items("settle", Set.of("0")).get(0).skipped())
                .containsExactly(new ItemDetails.Skipped(
                        to.minus(HOUR.multipliedBy(3)), to.minus(HOUR), 3, SkipReason.SKIPPED_BY_OPERATOR));
    }

    @Test
    void triggerRunsWhileFiresAreSkipped(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.SkipFires("settle", hour(cluster).plus(HOUR.multipliedBy(4))), ANN);
        cluster.advance(HOUR);

        operations.execute(new Command.Trigger("settle"), ANN);
        cluster.advance(Duration.ofSeconds(10));

        assertThat(fires).hasSize(2);
        assertThat(operations.items("settle", Set.of()))
                .allSatisfy(item -> assertThat(item.decidedUpTo()).isBeforeOrEqualTo(cluster.now()));
    }

    @Tag("slow")
    @Test
    void itemsOfAnotherCountKeepTheSkip(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant to = hour(cluster).plus(HOUR.multipliedBy(4));
        operations.execute(new Command.SkipFires("settle", to), ANN);
        operations.execute(new Command.SetOverride("settle", "shardingTotalCount", 5), ANN);
        operations.execute(new Command.SetOverride("settle", "timeout", HOUR), ANN);

        cluster.advance(HOUR.multipliedBy(5));

        assertThat(operations.job("settle").summary().items()).isEqualTo(5);
        assertThat(fires).hasSize(fires.size() / 5 * 5).isNotEmpty().allMatch(fire -> !fire.isBefore(to));
    }

    @Tag("slow")
    @Test
    void jobResumesWithoutItsMissedFiresInOneWrite(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("settle"), ANN);
        cluster.advance(HOUR.multipliedBy(6));
        int version = new ZkCli(cluster).version("/jobs/settle/override");

        CommandResult preview = operations.execute(new Command.Resume("settle", false), ANN.asDryRun());
        Instant resumed = cluster.now();
        operations.execute(new Command.Resume("settle", false), ANN);

        assertThat(preview.text()).contains("resumed", "missed fires of each of 2 items");
        assertThat(new ZkCli(cluster).version("/jobs/settle/override")).isEqualTo(version + 1);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(fires).isEmpty();
        cluster.advance(HOUR);
        assertThat(fires).hasSize(2).allMatch(fire -> fire.isAfter(resumed));
        assertThat(record(cluster)).contains("\"reason\":\"SKIPPED_BY_OPERATOR\"");
    }

    @Test
    void dryRunOfAResumeCountsTheMissedFiresAndNamesThePolicy(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("settle"), ANN);
        cluster.advance(HOUR.multipliedBy(6));

        String preview = operations
                .execute(new Command.Resume("settle", true), ANN.asDryRun())
                .text();

        assertThat(preview)
                .contains("resumed job 'settle'")
                .containsPattern("[567] missed fires of each of 2 items so far; by the misfire policy fire");
        operations.execute(new Command.Resume("settle", true), ANN);
        assertThat(operations
                        .execute(new Command.Resume("settle", true), ANN.asDryRun())
                        .text())
                .as("the job is not paused")
                .doesNotContain("missed");
    }

    @Test
    void resumingAJobThatIsNotPausedOnlySkipsFires(@Instances(1) TestCluster cluster) {
        hourly(cluster);

        CommandResult result = cluster.observe().execute(new Command.Resume("settle", false), ANN);

        assertThat(result.text()).isEqualTo("skips the fires of job 'settle' before " + cluster.now());
    }

    /** The job has no missed fires: each item runs once, and the next fire counts from the end of this run. */
    @Test
    void jobWithADelayResumesAsUsual(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> ran(context),
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.fixedDelay(HOUR))
                        .build());
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("settle"), ANN);
        cluster.advance(HOUR.multipliedBy(3));

        operations.execute(new Command.Resume("settle", false), ANN);
        cluster.advance(Duration.ofMinutes(1));

        assertThat(fires).hasSize(2);
        assertThat(operations.job("settle").skipTo()).isNull();
    }

    @Test
    void timeOnlyRises(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant to = cluster.now().plus(HOUR.multipliedBy(4));
        CommandOptions once = ANN.withRequestId("r-1");
        operations.execute(new Command.SkipFires("settle", to), once);

        assertThat(operations.execute(new Command.SkipFires("settle", to), ANN))
                .isInstanceOf(CommandResult.Unchanged.class);
        assertThatThrownBy(() -> operations.execute(new Command.SkipFires("settle", to.minusSeconds(1)), ANN))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("settle", "skipTo", to.toString());
        operations.execute(new Command.SkipFires("settle", to.plusSeconds(1)), ANN);
        assertThat(operations.execute(new Command.SkipFires("settle", to), once))
                .as("a repeated request")
                .isInstanceOf(CommandResult.Unchanged.class);
        operations.execute(new Command.Resume("settle", false), ANN);
        operations.execute(new Command.RemoveOverride("settle", Set.of()), ANN);
        assertThat(operations.job("settle").skipTo()).isEqualTo(to.plusSeconds(1));
    }

    @Tag("slow")
    @Test
    void skipSurvivesARebuiltEnsembleAndIsNotLowered(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        String earlier = operations.export();
        Instant to = hour(cluster).plus(HOUR.multipliedBy(4));
        operations.execute(new Command.SkipFires("settle", to), ANN);
        String document = operations.export();
        String before = document.replace(to.toString(), to.minus(HOUR).toString());

        assertThat(operations.diff(earlier)).singleElement().asString().contains("skipTo", to.toString());
        operations.execute(new Command.Apply(before), ANN);
        assertThat(operations.job("settle").skipTo()).isEqualTo(to);
        operations.execute(new Command.Apply(document.replaceAll("\"skipTo\":\"[^\"]*\",?", "")), ANN);
        assertThat(operations.job("settle").skipTo()).isEqualTo(to);
        assertThat(operations.job("settle").changes()).containsKey("skipTo");

        try (TestCluster empty = new TestCluster(0, cluster.now(), 0)) {
            empty.observe().execute(new Command.Apply(document), ANN);
            empty.join();
            hourly(empty);
            fires.clear();
            empty.advance(HOUR.multipliedBy(5));
            assertThat(fires).isNotEmpty().allMatch(fire -> !fire.isBefore(to));
        }
    }

    /** A leader that has never read the plan makes a new plan from the records and the override. */
    @Test
    void skipSurvivesADamagedPlan(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant to = hour(cluster).plus(HOUR.multipliedBy(4));
        operations.execute(new Command.SkipFires("settle", to), ANN);
        cluster.advance(HOUR);
        cluster.instances().get(0).kill();
        new ZkCli(cluster).write("/jobs/settle/sharding", "{");
        cluster.join();

        cluster.advance(HOUR.multipliedBy(5));

        assertThat(fires).isNotEmpty().allMatch(fire -> !fire.isBefore(to));
        assertThat(new ZkCli(cluster).text("/jobs/settle/sharding")).contains("\"skipTo\":\"" + to + "\"");
    }

    @Test
    void schedulesThatCountFromARunAreRefused(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        for (Schedule schedule : List.of(
                Schedule.fixedDelay(HOUR),
                Schedule.adaptive(HOUR, 2),
                Schedule.continuous(HOUR),
                Schedule.onDemand())) {
            operations.execute(new Command.SetOverride("settle", Map.of("schedule", schedule), null), ANN);
            assertThatThrownBy(() -> operations.execute(new Command.SkipFires("settle", cluster.now()), ANN))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContainingAll("settle", "skipTo", "cron expression, a fixed rate and once");
        }
    }
}
