package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.api.operations.TriggerDetails;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the views of an operator, through an instance and through an observer. */
@ExtendWith(OstrakaExtension.class)
class OperationsViewsTest {
    private static final CommandOptions BY = CommandOptions.by("test");

    private static JobConfiguration hourly(String job, int items) {
        return JobConfiguration.newBuilder(job, items)
                .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                .jobParameter("defined")
                .build();
    }

    private static JobSummary job(Operations operations, String name) {
        return operations.jobs().stream()
                .filter(job -> job.job().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void listShowsStateOwnersAndNextFireOfEveryJob(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("active", 4));
        cluster.schedule(context -> {}, hourly("halted", 2));
        cluster.schedule(context -> {}, hourly("unwanted", 2));
        cluster.schedule(context -> {}, JobConfiguration.newBuilder("manual", 1).build());
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("halted"), BY);
        operations.execute(new Command.Remove("unwanted"), BY);
        cluster.advance(Duration.ofSeconds(10));

        assertThat(operations.jobs())
                .extracting(JobSummary::job, JobSummary::state)
                .containsExactly(
                        tuple("active", JobState.ACTIVE),
                        tuple("halted", JobState.PAUSED),
                        tuple("manual", JobState.ACTIVE),
                        tuple("unwanted", JobState.REMOVED));
        JobSummary active = job(operations, "active");
        assertThat(active.owners().values()).containsExactly(2, 2);
        assertThat(active.unassigned()).isZero();
        assertThat(active.nextFire())
                .isEqualTo(operations.nextFires("active", 3).get(0));
        assertThat(job(operations, "manual").nextFire()).isNull();
    }

    @Test
    void listOfJobsIsSharedForHalfASecond(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 1));
        Operations operations = cluster.observe();
        assertThat(job(operations, "settle").state()).isEqualTo(JobState.ACTIVE);

        cluster.pause("settle");
        cluster.advance(Duration.ofMillis(501));

        assertThat(job(operations, "settle").state()).isEqualTo(JobState.PAUSED);
    }

    @Test
    void nextListAfterACommandShowsTheCommand(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 1));
        Operations operations = cluster.observe();
        assertThat(job(operations, "settle").state()).isEqualTo(JobState.ACTIVE);

        operations.execute(new Command.Pause("settle"), BY);

        assertThat(job(operations, "settle").state()).isEqualTo(JobState.PAUSED);
    }

    /** The list does not read definitions. It learns from the digests of the instances that the job is paused. */
    @Test
    void jobThatWasRegisteredAsPausedIsShownAsPaused(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {}, hourly("resting", 1).toBuilder().paused(true).build());
        cluster.advance(Duration.ofSeconds(30));
        Operations operations = cluster.observe();

        assertThat(job(operations, "resting").state()).isEqualTo(JobState.PAUSED);
        assertThat(operations.job("resting").summary().state()).isEqualTo(JobState.PAUSED);
        assertThat(operations.forecast(cluster.now(), Duration.ofHours(1), 3).slots())
                .allSatisfy(slot -> assertThat(slot.fires()).isEmpty());
    }

    @Test
    void unreadableNodesAreNamedAndNeverTakenForNothing(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2));
        Operations operations = cluster.observe();
        new ZkCli(cluster).write("/jobs/settle/fires/run-1", "no JSON");

        assertThatThrownBy(() -> operations.run("settle", "run-1"))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContaining("/jobs/settle/fires/run-1");

        cluster.instances().get(0).kill();
        new ZkCli(cluster).write("/jobs/settle/sharding/0", "no JSON");
        assertThat(operations.activity(List.of("settle")).get(0).unreadable()).isEqualTo(1);
    }

    @Test
    void changeThatTheLeaderHasNotCopiedIsShownUntilItTakesEffect(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2));
        Operations operations = cluster.observe();
        cluster.instances().get(0).setWedged(true);

        operations.execute(new Command.SkipFires("settle", cluster.now()), BY);
        cluster.advance(Duration.ofSeconds(10));

        assertThat(job(operations, "settle").stateText()).contains("leader has not copied");
        cluster.instances().get(0).setWedged(false);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(job(operations, "settle").stateText()).isEmpty();
    }

    @Test
    void detailsShowDefinedAndEffectiveValueOfEveryField(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2));
        Operations operations = cluster.observe();
        operations.execute(new Command.SetOverride("settle", "jobParameter", "overridden"), BY);

        JobDetails details = operations.job("settle");

        assertThat(details.fields()).hasSameSizeAs(JobConfiguration.fields());
        assertThat(details.field("jobParameter")).hasValueSatisfying(field -> {
            assertThat(field.defined()).isEqualTo("defined");
            assertThat(field.effective()).isEqualTo("overridden");
            assertThat(field.overridden()).isTrue();
        });
        assertThat(details.field("shardingTotalCount")).hasValueSatisfying(field -> {
            assertThat(field.effective()).isEqualTo(2);
            assertThat(field.overridden()).isFalse();
        });
        assertThat(details.version()).isPositive();
        assertThat(details.registeredBy()).isEqualTo(cluster.leader().id());
    }

    @Test
    void itemsShowRunsFailuresAndOwners(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    context.progress(1, 2, "half");
                    if (context.shardingItem() == 1) {
                        throw new IllegalStateException("no such account");
                    }
                },
                hourly("settle", 3));
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofHours(2)); // the first run may end before the node of its progress exists

        ItemDetails failed = operations.items("settle", Set.of("1")).get(0);
        assertThat(failed.state()).isEqualTo(ItemDetails.State.IDLE);
        assertThat(failed.run().outcome()).isEqualTo(ItemOutcome.FAILED);
        assertThat(failed.run().error()).contains("no such account");
        assertThat(failed.run().runner()).isEqualTo(failed.owner());
        assertThat(failed.run().progress().message()).isEqualTo("half");
        assertThat(failed.failuresInARow()).isEqualTo(2);
        assertThat(operations.items("settle", Set.of()))
                .extracting(ItemDetails::item)
                .containsExactly("0", "1", "2");
        JobActivity activity = operations.activity(List.of("settle")).get(0);
        assertThat(activity.outcomes()).isEqualTo(Map.of(ItemOutcome.SUCCEEDED, 2, ItemOutcome.FAILED, 1));
        assertThat(activity.lastFire()).isEqualTo(Instant.parse("2026-01-01T02:00:00Z"));
        assertThat(activity.failuresInARow()).isEqualTo(2);
    }

    @Test
    void runningItemIsShownWithItsStart(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> cluster.advance(Duration.ofMinutes(5)), hourly("long", 1));
        Operations operations = cluster.observe();
        cluster.time().after(Duration.between(cluster.now(), Instant.parse("2026-01-01T01:01:00Z")), () -> {
            JobActivity activity = operations.activity(List.of("long")).get(0);
            assertThat(activity.running()).isEqualTo(1);
            assertThat(activity.runningSince()).isEqualTo(Instant.parse("2026-01-01T01:00:00Z"));
            ItemDetails item = operations.items("long", Set.of()).get(0);
            assertThat(item.state()).isEqualTo(ItemDetails.State.RUNNING);
            assertThat(item.run().endedAt()).isNull();
        });
        cluster.advance(Duration.ofHours(1).plusMinutes(10));

        assertThat(operations.activity(List.of("long")).get(0).running()).isZero();
    }

    @Test
    void instancesShowItemsAndTheLeader(@Instances(3) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 6));
        Operations operations = cluster.observe();

        List<InstanceDetails> instances = operations.instances();

        assertThat(instances).hasSize(3);
        assertThat(instances).allSatisfy(each -> {
            assertThat(each.jobs()).containsExactly("settle");
            assertThat(each.items()).isEqualTo(Map.of("settle", 2));
        });
        assertThat(instances.stream().filter(InstanceDetails::leading))
                .singleElement()
                .satisfies(leader -> assertThat(leader.instance().id())
                        .isEqualTo(cluster.leader().id()));
        assertThat(operations.namespace().leader()).isEqualTo(cluster.leader().id());
    }

    @Test
    void forecastCountsFiresAndMarksClockChanges(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("hourly", 1));
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("berlin", 1)
                        .schedule(Schedule.cron("0 30 2 * * ?", ZoneId.of("Europe/Berlin")))
                        .build());
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("endless", 1)
                        .schedule(Schedule.fixedDelay(Duration.ofMinutes(1)))
                        .build());
        cluster.schedule(context -> {}, hourly("halted", 1));
        cluster.pause("halted");

        Forecast day = cluster.observe().forecast(Instant.parse("2026-03-29T00:00:00Z"), Duration.ofHours(1), 24);

        assertThat(day.slots()).hasSize(24);
        assertThat(day.slots()).allSatisfy(slot -> assertThat(slot.fires()).containsEntry("hourly", 1));
        // 2:30 does not exist in Berlin on this day, so the fire is right after the gap, at 3:00, which is 1:00 UTC
        assertThat(day.slots().get(1).fires()).containsEntry("berlin", 1);
        assertThat(day.slots().get(1).clockChanges()).containsExactly("Europe/Berlin");
        assertThat(day.unpredictable()).containsExactly("endless");
        assertThat(day.slots().get(5).fires()).doesNotContainKeys("halted", "endless");
    }

    @Test
    @Tag("slow")
    void forecastWithTooManyFiresIsRefusedBeforeAllAreCounted(@Instances(1) TestCluster cluster) {
        for (int i = 0; i < 8; i++) { // 8 x 1,440 x 1,000 fires, because a slot counts no further
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("job-" + i, 1)
                            .schedule(Schedule.cron("* * * * * ?"))
                            .build());
        }

        assertThatThrownBy(() -> cluster.observe().forecast(cluster.now(), Duration.ofHours(6), 1440))
                .hasMessageContaining("accepted: a period with 10000000 fires of cron schedules at most");
    }

    @Test
    void waitingAndDelayedTriggersAreShown(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, JobConfiguration.newBuilder("manual", 2).build());
        Operations operations = cluster.observe();
        CommandResult result = operations.execute(
                new Command.Trigger("manual", Set.of("1"), Map.of(), Duration.ofHours(2)), BY.withRequestId("tonight"));

        assertThat(result).isInstanceOfSatisfying(CommandResult.Applied.class, applied -> assertThat(applied.created())
                .isEqualTo("tonight"));
        TriggerDetails trigger = operations.job("manual").triggers().get(0);
        assertThat(trigger.runId()).isEqualTo("tonight");
        assertThat(trigger.items()).containsExactly("1");
        assertThat(trigger.due()).isAfter(cluster.now().plus(Duration.ofMinutes(119)));
        assertThat(operations.run("manual", "tonight").orElseThrow().state()).isEqualTo(RunDetails.State.WAITING);

        cluster.advance(Duration.ofHours(2).plusSeconds(5));
        RunDetails run = operations.run("manual", "tonight").orElseThrow();
        assertThat(run.state()).isEqualTo(RunDetails.State.ENDED);
        assertThat(run.outcomes()).isEqualTo(Map.of("1", ItemOutcome.SUCCEEDED));
        assertThat(operations.run("manual", "another")).isEmpty();
    }

    @Test
    void runOfAScheduledFireIsRefusedWithThePlaceToLook(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 1));
        cluster.advance(Duration.ofHours(1));
        Operations operations = cluster.observe();
        String scheduled = operations.items("settle", Set.of()).get(0).run().runId();

        assertThat(scheduled).startsWith("settle@");
        assertThatThrownBy(() -> operations.run("settle", scheduled))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll(scheduled, "the id of a scheduled fire", "items", "history");
        assertThatThrownBy(() -> operations.run("settle", "a:b")).isInstanceOf(IllegalArgumentException.class);
    }

    /** An observer only reads. It does not even repair nodes that an instance would repair. */
    @Test
    void viewsChangeNoNode(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2));
        Operations operations = cluster.observe();
        new ZkCli(cluster).write("/jobs/settle/sharding/0/running", "{}"); // a person has made this node
        long before = cluster.tree().zxid();

        operations.jobs();
        operations.job("settle");
        operations.items("settle", Set.of());
        operations.items("settle", Set.of("0"));
        operations.activity(List.of("settle"));
        operations.instances();

        assertThat(cluster.tree().children("/jobs/settle/sharding/0")).contains("running");
        assertThat(cluster.tree().children("/instances")).hasSize(2);
        assertThat(cluster.tree().children("/leader/latch")).hasSize(2);
        assertThat(cluster.tree().zxid()).as("the latest transaction").isEqualTo(before);
    }

    @Test
    void nextFiresBeginAtTheEndOfAPauseOrFreeze(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 1));
        Operations operations = cluster.observe();
        List<Instant> fires = operations.nextFires("settle", 5);

        operations.execute(new Command.Pause("settle", fires.get(1)), BY);
        assertThat(operations.nextFires("settle", 3)).containsExactlyElementsOf(fires.subList(1, 4));
        assertThat(job(operations, "settle").nextFire()).isEqualTo(fires.get(1));
        operations.execute(new Command.Freeze(fires.get(2)), BY);
        assertThat(operations.nextFires("settle", 3)).containsExactlyElementsOf(fires.subList(2, 5));

        operations.execute(new Command.Freeze(null), BY);
        assertThat(operations.nextFires("settle", 3)).isEmpty();
        operations.execute(new Command.Thaw(), BY);
        operations.execute(new Command.Pause("settle"), BY);
        assertThat(operations.nextFires("settle", 3)).isEmpty();
        assertThat(job(operations, "settle").nextFire()).isNull();
        assertThat(operations.explain("settle", "0")).contains("It starts no scheduled fire now: the job is paused by");
        operations.execute(new Command.Resume("settle"), BY);
        operations.execute(new Command.DisableItem("settle", "0"), BY);
        assertThat(operations.nextFires("settle", 3)).isEmpty();
        operations.execute(new Command.Remove("settle"), BY);
        assertThat(operations.nextFires("settle", 3)).isEmpty();
    }

    @Test
    void jobThatIsRegisteredAsPausedHasNoNextFire(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {}, hourly("resting", 1).toBuilder().paused(true).build());
        Operations operations = cluster.observe();

        assertThat(operations.nextFires("resting", 3)).isEmpty();
        assertThat(operations.explain("resting", "0")).contains("It starts no scheduled fire now: the job is paused");
    }

    @Test
    void unacceptableArgumentsAreRefusedByName(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2));
        Operations operations = cluster.observe();

        assertThatThrownBy(() -> operations.nextFires("settle", 0)).hasMessageContainingAll("settle", "count", "1 to");
        assertThatThrownBy(() -> operations.forecast(cluster.now(), Duration.ofSeconds(1), 5))
                .hasMessageContainingAll("PT1S", "PT1M");
        assertThatThrownBy(() -> operations.forecast(cluster.now(), Duration.ofHours(1), 100_000))
                .hasMessageContainingAll("100000", "1440");
        assertThatThrownBy(() -> operations.forecast(cluster.now(), Duration.ofDays(31), 12))
                .hasMessageContainingAll("PT744H", "PT8784H at most");
        assertThatThrownBy(() -> operations.activity(Collections.nCopies(101, "settle")))
                .hasMessageContainingAll("101", "100");
    }
}
