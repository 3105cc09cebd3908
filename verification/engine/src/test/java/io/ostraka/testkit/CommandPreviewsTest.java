package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the preview of a command says what really happens after the command. */
@ExtendWith(OstrakaExtension.class)
class CommandPreviewsTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String FOR_GOOD = "this cannot be taken back: skipped fires do not come back";
    private static final String FIRE_ONCE =
            "by the misfire policy fireOnce, the latest one runs, and the others are skipped";

    private final List<String> runs = new ArrayList<>();

    private static JobConfiguration.Builder hourly(String job, int items) {
        return JobConfiguration.newBuilder(job, items).schedule(Schedule.fixedRate(HOUR));
    }

    private Operations schedule(TestCluster cluster, JobConfiguration... jobs) {
        SimpleJob code = context -> runs.add(context.jobName() + " " + context.shardingItem());
        cluster.schedule(code, jobs);
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofMinutes(1));
        return operations;
    }

    private static List<String> preview(Operations operations, Command command) {
        return ((CommandResult.Preview) operations.execute(command, ANN.asDryRun())).effects();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fire-once | " + FIRE_ONCE + " | 1",
                "skip | by the misfire policy skip, the latest one runs if it is younger than PT1M (misfireThreshold),"
                        + " and the others are skipped | 0",
                "fire-all(2) | by the misfire policy fireAll, the latest 2 run, the oldest first, and one more if the"
                        + " latest is younger than PT1M (misfireThreshold); the others are skipped | 2"
            })
    void disableAndEnableSayWhatBecomesOfMissedFires(
            String policy, String expected, int madeUp, @Instances(1) TestCluster cluster) {
        Operations operations = schedule(
                cluster,
                hourly("settle", 2)
                        .misfire(MisfirePolicy.of(policy))
                        .misfireThreshold(Duration.ofMinutes(1))
                        .build());

        assertThat(preview(operations, new Command.DisableItem("settle", "1")))
                .containsExactly(
                        "disabled item 1 of job 'settle'",
                        "until the item is enabled, it starts no fire of its schedule and skips manual triggers",
                        "its missed fires wait until it is enabled; then, " + expected);

        operations.execute(new Command.DisableItem("settle", "1"), ANN);
        cluster.advance(HOUR.multipliedBy(3).plusMinutes(20));
        assertThat(preview(operations, new Command.EnableItem("settle", "1")))
                .containsExactly(
                        "enabled item 1 of job 'settle'", "3 missed fires of 1 item so far; " + expected, FOR_GOOD);
        runs.clear();
        operations.execute(new Command.EnableItem("settle", "1"), ANN);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(runs).as("fires that are made up").hasSize(madeUp).allMatch("settle 1"::equals);
    }

    @Test
    void disableOfAJobWithoutMissedFiresPromisesNone(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(
                cluster,
                JobConfiguration.newBuilder("poll", 1)
                        .schedule(Schedule.fixedDelay(Duration.ofMinutes(5)))
                        .build(),
                JobConfiguration.newBuilder("call", 1)
                        .schedule(Schedule.onDemand())
                        .build());

        assertThat(preview(operations, new Command.DisableItem("poll", "0")))
                .containsExactly(
                        "disabled item 0 of job 'poll'",
                        "until the item is enabled, it starts no fire of its schedule and skips manual triggers");
        assertThat(preview(operations, new Command.DisableItem("call", "0")))
                .containsExactly(
                        "disabled item 0 of job 'call'", "until the item is enabled, it skips manual triggers");
        operations.execute(new Command.DisableItem("poll", "0"), ANN);
        cluster.advance(HOUR);
        assertThat(preview(operations, new Command.EnableItem("poll", "0")))
                .containsExactly("enabled item 0 of job 'poll'");
    }

    @Test
    void resumePromisesNothingForADisabledItem(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(cluster, hourly("settle", 2).build());
        operations.execute(new Command.DisableItem("settle", "1"), ANN);
        operations.execute(new Command.Pause("settle"), ANN);
        cluster.advance(HOUR.multipliedBy(2));

        assertThat(preview(operations, new Command.Resume("settle")))
                .containsExactly("resumed job 'settle'", "2 missed fires of 1 item so far; " + FIRE_ONCE, FOR_GOOD);
        assertThat(preview(operations, new Command.EnableItem("settle", "1")))
                .contains("2 missed fires of 1 item so far; " + FIRE_ONCE);
    }

    @Test
    void freezeNamesTheRunsTriggersAndFiresThatItConcerns(@Instances(1) TestCluster cluster) {
        List<List<String>> seen = new ArrayList<>();
        Operations operations = cluster.observe();
        Instant until = cluster.now().plus(HOUR.multipliedBy(3));
        cluster.schedule(
                context -> {
                    if (seen.isEmpty()) {
                        seen.add(preview(operations, new Command.Freeze(until)));
                        seen.add(preview(operations, new Command.Freeze(null)));
                    }
                },
                JobConfiguration.newBuilder("import", 1)
                        .schedule(Schedule.onDemand())
                        .build());
        schedule(
                cluster,
                hourly("settle", 2).build(),
                hourly("paused", 1).paused(true).build());
        operations.execute(
                new Command.Trigger("settle", Set.of(), Map.of(), HOUR), ANN.withRequestId("within-the-freeze"));
        operations.execute(
                new Command.Trigger("settle", Set.of(), Map.of(), HOUR.multipliedBy(9)), ANN.withRequestId("later"));
        operations.execute(new Command.Trigger("import"), ANN.withRequestId("now"));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(seen).hasSize(2);
        assertThat(seen.get(0))
                .containsExactly(
                        "froze the namespace until " + until,
                        "runs that have begun go on: item 0 of job 'import'",
                        "manual triggers wait for the end of the freeze: now of job 'import',"
                                + " within-the-freeze of job 'settle'",
                        "fires come due until then: 2 of job 'settle'; after the freeze, the misfire policy of each job"
                                + " decides about them");
        assertThat(seen.get(1))
                .contains(
                        "fires of the schedules wait; after a thaw, the misfire policy of each job decides about them")
                .anyMatch(effect -> effect.contains("later of job 'settle'"));
        assertThat(preview(operations, new Command.Freeze(null))).contains("no item runs now");
    }

    @Test
    void thawNamesTheFiresAndTriggersThatStart(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(
                cluster,
                hourly("settle", 2).build(),
                hourly("skipping", 1).misfire(MisfirePolicy.skip()).build(),
                hourly("paused", 1).paused(true).build());
        assertThat(preview(operations, new Command.Thaw())).containsExactly("the namespace already is as requested");
        operations.execute(new Command.Freeze(null), ANN);
        assertThat(preview(operations, new Command.Thaw()))
                .containsExactly("thawed the namespace", "no fire was missed, and no manual trigger waits");
        operations.execute(new Command.Trigger("settle"), ANN.withRequestId("waits"));
        cluster.advance(HOUR.multipliedBy(2));

        List<String> effects = preview(operations, new Command.Thaw());

        assertThat(effects)
                .startsWith(
                        "thawed the namespace",
                        "manual triggers start: waits of job 'settle'",
                        "job 'settle': 2 missed fires of each of 2 items so far; " + FIRE_ONCE)
                .endsWith(FOR_GOOD)
                .anyMatch(
                        effect -> effect.startsWith("job 'skipping': 2 missed fires of 1 item so far; by the misfire"))
                .noneMatch(effect -> effect.contains("'paused'"));
        runs.clear();
        operations.execute(new Command.Thaw(), ANN);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs)
                .as("one fire is made up, and the trigger")
                .containsOnly("settle 0", "settle 1")
                .hasSize(4);
    }

    @Test
    void thawOfManyJobsListsSome(@Instances(1) TestCluster cluster) {
        JobConfiguration[] jobs = new JobConfiguration[13];
        for (int i = 0; i < jobs.length; i++) {
            jobs[i] = hourly("job-%02d".formatted(i), 1).build();
        }
        Operations operations = schedule(cluster, jobs);
        assertThat(preview(operations, new Command.Freeze(cluster.now().plus(HOUR))))
                .last()
                .asString()
                .contains("; 1 of job 'job-09'; and those of 3 more jobs; after the freeze")
                .doesNotContain("job-10");
        operations.execute(new Command.Freeze(null), ANN);
        cluster.advance(HOUR);

        assertThat(preview(operations, new Command.Thaw()))
                .hasSize(1 + 10 + 2)
                .contains("and the missed fires of 3 more jobs");
    }

    @Test
    void commandsThatStartItemsNameAFreeze(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(cluster, hourly("settle", 1).build());
        cluster.advance(HOUR);
        operations.execute(new Command.DisableItem("settle", "0"), ANN);
        operations.execute(new Command.Pause("settle"), ANN);
        Instant until = cluster.now().plus(HOUR);
        Instant from = cluster.now().minus(HOUR.multipliedBy(2));
        List<Command> starting = List.of(
                new Command.Trigger("settle"),
                new Command.Backfill("settle", from, cluster.now()),
                new Command.EnableItem("settle", "0"),
                new Command.Resume("settle", true),
                new Command.Resume("settle", false));
        starting.forEach(command -> assertThat(preview(operations, command))
                .as(command.toString())
                .noneMatch(effect -> effect.contains("frozen")));

        operations.execute(new Command.Freeze(until), ANN);

        starting.forEach(command -> assertThat(preview(operations, command))
                .as(command.toString())
                .endsWith("the namespace is frozen by ann (ticket 7) until " + until
                        + "; no run starts before the end of the freeze"));
        assertThat(preview(operations, new Command.DisableItem("settle", "0")))
                .noneMatch(effect -> effect.contains("frozen"));
    }

    @Test
    void unreadableOrdersAreNotTakenForNoFreeze(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(cluster, hourly("settle", 1).build());
        operations.execute(new Command.Freeze(null), ANN);
        new ZkCli(cluster).write("/orders", "no JSON");

        assertThat(preview(operations, new Command.Trigger("settle")))
                .last()
                .asString()
                .contains("a freeze may keep the run from starting", "/orders");
    }

    @Test
    void triggerOfAPausedJobSaysThatItRuns(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(cluster, hourly("settle", 1).build());
        assertThat(preview(operations, new Command.Trigger("settle"))).hasSize(1);
        operations.execute(new Command.Pause("settle"), ANN);

        assertThat(preview(operations, new Command.Trigger("settle")))
                .containsExactly(
                        "triggered job 'settle': all items",
                        "the job is paused by ann (ticket 7), but a manual trigger runs all the same");
        operations.execute(new Command.Trigger("settle"), ANN);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(runs).containsExactly("settle 0");
    }

    @Test
    void backfillSaysHowManyFiresItRunsAndThatItRepeatsThem(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(
                cluster,
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.fixedRate(HOUR))
                        .build());
        cluster.advance(HOUR.multipliedBy(3));
        Instant now = cluster.now();
        operations.execute(new Command.DisableItem("settle", "1"), ANN);

        List<String> effects =
                preview(operations, new Command.Backfill("settle", now.minus(HOUR.multipliedBy(3)), now));

        assertThat(effects.get(0))
                .startsWith("runs 3 past fires from ")
                .endsWith(", oldest first, at most 1 at a time");
        assertThat(effects)
                .contains(
                        "fires of this period that have run already run again",
                        "item 1 will skip the run, because an operator has disabled the item");
        assertThat(preview(operations, new Command.Backfill("settle", now.minus(HOUR), now)))
                .first()
                .asString()
                .startsWith("runs 1 past fire, that of ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void quarantineOfADisabledItemAsksOnlyForWhatIsLeft(boolean deadly, @Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    if (deadly) {
                        cluster.instance(context.instanceId()).kill();
                    }
                    throw new IllegalStateException("no such account");
                },
                hourly("settle", 1).quarantineAfter(1).maxAttempts(1).build());
        Operations operations = cluster.observe();
        cluster.advance(HOUR.plusMinutes(30));
        assertThat(operations.items("settle", Set.of("0")).get(0).state().name())
                .isEqualTo("QUARANTINED");
        assertThat(operations.explain("settle", "0"))
                .contains(deadly ? "; disable the item, and release it only" : "then release the item");
        assertThat(alarm(operations)).doesNotContain("disabled by");
        List<String> before = preview(operations, new Command.ReleaseItem("settle", "0"));

        operations.execute(new Command.DisableItem("settle", "0"), ANN);
        cluster.advance(Duration.ofSeconds(10));

        assertThat(operations.explain("settle", "0"))
                .contains(deadly ? "; release it only after the cause is mended" : "then release and enable the item");
        assertThat(alarm(operations)).endsWith("; item 0 is disabled by ann (ticket 7)");
        assertThat(before.get(0)).startsWith("released item 0");
        assertThat(preview(operations, new Command.ReleaseItem("settle", "0")))
                .hasSize(2)
                .contains("the item is disabled, so it starts no fire until it is enabled")
                .noneMatch(effect -> effect.contains("safe choice"));
        assertThat(preview(operations, new Command.EnableItem("settle", "0")))
                .contains("the item is quarantined, so it starts no fire until it is released");
    }

    private static String alarm(Operations operations) {
        return operations.alarms().stream()
                .filter(each -> each.kind() == AlarmKind.QUARANTINED)
                .map(AlarmDetails::text)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void silenceNamesTheAlarmsInWords(@Instances(1) TestCluster cluster) {
        Operations operations = schedule(cluster, hourly("settle", 1).build());
        Set<AlarmKind> kinds = Set.of(AlarmKind.NO_INSTANCE, AlarmKind.FAILING);

        assertThat(preview(operations, new Command.SilenceAlarms("settle", Set.of(AlarmKind.NO_INSTANCE), null)))
                .containsExactly("silenced the alarm 'no instance' of job 'settle'");
        assertThat(preview(operations, new Command.SilenceAlarms("settle", Set.of(), null)))
                .containsExactly("silenced all alarms of job 'settle'");
        operations.execute(new Command.SilenceAlarms("settle", kinds, null), ANN);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(operations.problems("settle"))
                .extracting(Problem::text)
                .containsExactly("the alarms 'failing', 'no instance' are silenced, so no handler gets new ones");
    }
}
