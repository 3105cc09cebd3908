package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OnceListener;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.FireTriggered;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that a command to run failed items again repeats the parameters of their trigger, and can change them. */
@ExtendWith(OstrakaExtension.class)
class RerunParametersTest {
    private static final CommandOptions ANN = CommandOptions.by("ann");
    private static final Map<String, String> MONDAY = Map.of("day", "monday", "mode", "correction");
    private static final Schedule NIGHTLY = Schedule.cron("0 0 2 * * ?", ZoneId.of("UTC"));

    private final List<String> runs = new ArrayList<>();
    /** Called by each run until {@link #healed}; the run then fails. */
    private Consumer<String> duringFailure = instance -> {};

    private boolean healed;

    private void schedule(TestCluster cluster, JobConfiguration job) {
        cluster.schedule(
                context -> {
                    runs.add(context.itemKey() + " " + context.triggerParameters() + " " + context.fireTime());
                    if (!healed) {
                        duringFailure.accept(context.instanceId());
                        throw new IllegalStateException("the report cannot be written");
                    }
                },
                job);
    }

    private static JobConfiguration.Builder job(int items) {
        return JobConfiguration.newBuilder("report", items);
    }

    private static CommandResult execute(TestCluster cluster, Command command) {
        CommandResult result = cluster.observe().execute(command, ANN);
        cluster.advance(Duration.ofMinutes(3));
        return result;
    }

    /** Triggers the job, whose runs fail, and returns the last run of item 0. */
    private static ItemDetails.Run failed(TestCluster cluster, Map<String, String> parameters) {
        execute(cluster, new Command.Trigger("report", Set.of(), parameters, Duration.ZERO));
        return lastRun(cluster);
    }

    private static ItemDetails.Run lastRun(TestCluster cluster) {
        ItemDetails.Run run =
                cluster.observe().items("report", Set.of("0")).get(0).run();
        assertThat(run.outcome()).isEqualTo(ItemOutcome.FAILED);
        return run;
    }

    private void assertRepeats(TestCluster cluster, ItemDetails.Run failed, Map<String, String> parameters) {
        healed = true;
        runs.clear();
        execute(cluster, new Command.RerunItems("report", failed.runId(), Set.of("0")));
        assertThat(runs).containsExactly("0 " + sorted(parameters) + " " + failed.fire());
    }

    private static Map<String, String> sorted(Map<String, String> parameters) {
        return new TreeMap<>(parameters);
    }

    @Test
    void rerunRepeatsTheParametersOfAFailedRun(TestCluster cluster) {
        schedule(cluster, job(2).build());

        assertRepeats(cluster, failed(cluster, MONDAY), MONDAY);
    }

    @Test
    void rerunChangesNamedParametersAndKeepsTheOthers(TestCluster cluster) {
        schedule(cluster, job(1).build());
        ItemDetails.Run failed = failed(cluster, MONDAY);
        healed = true;

        Command rerun = new Command.RerunItems("report", failed.runId(), Set.of(), Map.of("day", "tuesday", "to", "x"));
        CommandResult preview = cluster.observe().execute(rerun, ANN.asDryRun());
        CommandResult result = execute(cluster, rerun);

        assertThat(runs).last().isEqualTo("0 {day=tuesday, mode=correction, to=x} " + failed.fire());
        assertThat(List.of(preview.text(), result.text())).allSatisfy(text -> assertThat(text)
                .contains("with the parameters day, mode, to, of which the command sets day, to")
                .doesNotContain("monday", "tuesday", "correction"));
    }

    @Test
    void rerunOfARerunRepeatsTheParametersToo(TestCluster cluster) {
        schedule(cluster, job(1).build());
        execute(
                cluster,
                new Command.RerunItems("report", failed(cluster, MONDAY).runId(), Set.of()));

        assertRepeats(cluster, lastRun(cluster), MONDAY);
    }

    @Test
    void rerunOfARunWithSeveralAttemptsRepeatsItsParameters(TestCluster cluster) {
        schedule(cluster, job(1).retry(RetryPolicy.attempts(3)).build());
        ItemDetails.Run failed = failed(cluster, MONDAY);

        assertThat(failed.attempt()).isEqualTo(3);
        assertRepeats(cluster, failed, MONDAY);
    }

    @Test
    void rerunAfterATakeoverRepeatsTheParameters(TestCluster cluster) {
        schedule(cluster, job(1).build());
        duringFailure = instance -> {
            duringFailure = other -> {};
            cluster.instance(instance).kill();
            cluster.advance(Duration.ofMinutes(1));
        };
        ItemDetails.Run failed = failed(cluster, MONDAY);

        assertThat(failed.attempt()).isEqualTo(2);
        assertRepeats(cluster, failed, MONDAY);
    }

    /** A subscriber may have lost the event of the instance that died. */
    @Test
    void takeoverPublishesTheTriggerWithItsParameters(TestCluster cluster) {
        List<FireTriggered> triggered = new ArrayList<>();
        cluster.subscribe(event -> {
            if (event instanceof FireTriggered fire) {
                triggered.add(fire);
            }
        });
        rerunAfterATakeoverRepeatsTheParameters(cluster);

        assertThat(triggered).hasSize(3);
        assertThat(triggered.subList(0, 2)).allSatisfy(fire -> {
            assertThat(fire.parameters()).isEqualTo(MONDAY);
            assertThat(fire.requestedBy()).isEqualTo("ann");
        });
        assertThat(triggered.get(1).instanceId()).isNotEqualTo(triggered.get(0).instanceId());
        assertThat(triggered.get(2).rerunOf()).isEqualTo(triggered.get(0).runId());
    }

    @Test
    void onceListenersReceiveTheTimeAndTheParametersOfTheRepeatedFire(TestCluster cluster) {
        List<String> calls = new ArrayList<>();
        OnceListener listener = new OnceListener() {
            @Override
            public void beforeFirst(JobFire fire) {
                calls.add("before " + fire.fireTime() + sorted(fire.triggerParameters()));
            }

            @Override
            public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
                calls.add("after " + fire.fireTime() + sorted(fire.triggerParameters()));
            }
        };
        cluster.schedule(
                (SimpleJob) context -> {},
                job(2).schedule(NIGHTLY).build(),
                JobOptions.none().listeners(listener));
        Instant date = Instant.parse("2025-12-01T02:00:00Z");
        execute(cluster, new Command.Backfill("report", date, date.plusSeconds(1), MONDAY, 1, 1));

        assertThat(calls).containsExactly("before " + date + sorted(MONDAY), "after " + date + sorted(MONDAY));
    }

    @Test
    void rerunAfterAHandoverRepeatsTheParameters(TestCluster cluster) {
        schedule(cluster, job(1).build());
        duringFailure = instance -> {
            duringFailure = other -> {};
            cluster.instance(instance).expireSession();
            cluster.advance(Duration.ofMinutes(1));
        };

        assertRepeats(cluster, failed(cluster, MONDAY), MONDAY);
    }

    @Test
    void rerunUnderANewLeaderRepeatsTheParameters(TestCluster cluster) {
        schedule(cluster, job(1).build());
        ItemDetails.Run failed = failed(cluster, MONDAY);
        cluster.leader().kill();
        cluster.advance(Duration.ofHours(2)); // the fire's node is gone

        assertRepeats(cluster, failed, MONDAY);
    }

    @Test
    void rerunOfADelayedTriggerRepeatsItsParameters(TestCluster cluster) {
        schedule(cluster, job(1).build());
        execute(cluster, new Command.Trigger("report", Set.of(), MONDAY, Duration.ofMinutes(1)));

        assertRepeats(cluster, lastRun(cluster), MONDAY);
    }

    @Test
    void rerunOfABackfillsFireRepeatsItsDateAndParameters(TestCluster cluster) {
        schedule(cluster, job(1).schedule(NIGHTLY).build());
        Instant date = Instant.parse("2025-12-01T02:00:00Z");
        execute(cluster, new Command.Backfill("report", date, date.plusSeconds(1), MONDAY, 1, 1));

        ItemDetails.Run failed = lastRun(cluster);
        assertThat(failed.fire()).isEqualTo(date);
        assertRepeats(cluster, failed, MONDAY);
    }

    @Test
    void rerunOfAScheduledFireHasOnlyTheParametersOfTheCommand(TestCluster cluster) {
        schedule(
                cluster,
                job(1).schedule(Schedule.fixedRate(Duration.ofMinutes(20))).build());
        cluster.advance(Duration.ofMinutes(20));
        ItemDetails.Run failed = lastRun(cluster);

        assertRepeats(cluster, failed, Map.of());
        healed = false;
        cluster.advance(Duration.ofMinutes(20));
        ItemDetails.Run next = lastRun(cluster);
        healed = true;
        execute(cluster, new Command.RerunItems("report", next.runId(), Set.of(), MONDAY));
        assertThat(runs).last().isEqualTo("0 " + sorted(MONDAY) + " " + next.fire());
    }

    /** The records of a job keep 256 Ki characters of parameters together. */
    @Test
    void rerunOfParametersTooLongForARecordNeedsAllOfThem(TestCluster cluster) {
        schedule(cluster, job(20).build());
        Map<String, String> most = Map.of("ids", "9".repeat(256 * 1024 / 20 - 3));
        assertRepeats(cluster, failed(cluster, most), most);

        healed = false;
        Map<String, String> more = Map.of("ids", "9".repeat(256 * 1024 / 20 - 2));
        ItemDetails.Run failed = failed(cluster, more);
        healed = true;
        runs.clear();

        assertThat(new ZkCli(cluster).text("/jobs/report/sharding/0"))
                .contains("\"parameters\":{}", "\"omitted\":13108")
                .hasSizeLessThan(2_000);
        Operations operations = cluster.observe();
        Command rerun = new Command.RerunItems("report", failed.runId(), Set.of("0"));
        assertThatThrownBy(() -> operations.execute(rerun, ANN))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("job 'report'", "parameters", "all parameters of " + failed.runId());
        execute(cluster, new Command.RerunItems("report", failed.runId(), Set.of("0"), Map.of("ids", "1")));
        assertThat(runs).containsExactly("0 {ids=1} " + failed.fire());
    }

    @Test
    void runThatOnlyAHistoryKnowsRunsAgain(TestCluster cluster) {
        schedule(cluster, job(2).build());
        ItemDetails.Run failed = failed(cluster, MONDAY);
        healed = true;
        execute(cluster, new Command.Trigger("report"));
        runs.clear();
        Operations operations = cluster.observe();
        Command.RerunItems rerun = new Command.RerunItems("report", failed.runId(), Set.of("1"));
        assertThatThrownBy(() -> operations.execute(rerun, ANN)).hasMessageContaining("items whose latest run");

        operations.rerun(rerun, new PastRun(failed.fire(), 2, MONDAY), ANN);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).containsExactly("1 " + sorted(MONDAY) + " " + failed.fire());

        assertThatThrownBy(() -> operations.rerun(rerun, new PastRun(failed.fire(), 3, MONDAY), ANN))
                .hasMessageContaining("the item count was 3");
        assertThatThrownBy(() -> operations.rerun(rerun, new PastRun(failed.fire(), 2, null), ANN))
                .hasMessageContaining("all parameters of");
    }
}
