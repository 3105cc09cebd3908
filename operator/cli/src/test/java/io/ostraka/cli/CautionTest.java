package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.console.Request;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the facts that a person sees before a command acts. */
@ExtendWith(OstrakaExtension.class)
class CautionTest {
    private static final String JOB = "settle";

    private static JobConfiguration.Builder hourly(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")));
    }

    private static List<String> commands(Harness ostraka) {
        return ostraka.requests().stream()
                .filter(each -> each.method().equals("POST") && !each.query().contains("dryRun"))
                .map(Request::path)
                .toList();
    }

    /** Runs both items of a job on one instance after the other, and each instance dies. */
    private static void quarantineAfterDeaths(TestCluster cluster) {
        boolean[] deadly = {true};
        cluster.schedule(
                context -> {
                    if (deadly[0]) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                hourly(2).maxAttempts(3).build());
        for (int death = 0; death < 4; death++) {
            cluster.advance(Duration.ofMinutes(61));
            cluster.join();
        }
        deadly[0] = false;
        cluster.advance(Duration.ofMinutes(1));
    }

    private static ItemDetails.State state(TestCluster cluster, String item) {
        return cluster.operations().items(JOB, List.of(item)).get(0).state();
    }

    @Test
    void releaseOfAnItemThatEndedInstancesShowsThemAndAsks(@Instances(1) TestCluster cluster) {
        quarantineAfterDeaths(cluster);
        Harness ostraka = Harness.of(cluster);
        assertThat(state(cluster, "0")).isEqualTo(ItemDetails.State.QUARANTINED);

        assertThat(ostraka.run("item", "release", JOB, "0")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err())
                .contains("item 0 of job 'settle' is quarantined since 2026-01-01", "3 instances died")
                .contains("began the item at 2026-01-01")
                .contains("also quarantined with that instance: 1", "look the same")
                .contains("one item at a time", "ostraka item list settle 0 --watch")
                .contains("up to 3 more instances may die (maxAttempts)", "every other run on these instances is lost")
                .contains("the safe choice", "ostraka item disable settle 0 --reason TEXT")
                .contains("'item release' on item 0 of job 'settle' needs a confirmation", "--yes");
        assertThat(commands(ostraka)).isEmpty();

        assertThat(ostraka.typing("orders\n").run("item", "release", JOB, "0")).isEqualTo(2);
        assertThat(state(cluster, "0")).isEqualTo(ItemDetails.State.QUARANTINED);
        assertThat(ostraka.typing("settle\n").run("item", "release", JOB, "0")).isZero();
        assertThat(state(cluster, "0")).isEqualTo(ItemDetails.State.IDLE);
        assertThat(ostraka.typing("").run("item", "release", JOB, "1", "--yes")).isZero();
        assertThat(ostraka.err()).contains("3 instances died", "up to 3 more instances may die");
    }

    @Test
    void dryRunOfAReleaseShowsTheSameAndAsksNothing(@Instances(1) TestCluster cluster) {
        quarantineAfterDeaths(cluster);
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("item", "release", JOB, "0", "1", "--dry-run")).isZero();
        assertThat(ostraka.out())
                .contains("3 instances died", "also quarantined with that instance: 1", "one item at a time")
                .contains("releases 2 items together", "up to 3 more instances may die (maxAttempts)")
                .contains("would succeed", "the next one may end further instances unless the cause is mended")
                .contains("The safe choice is to disable the item");
        ostraka.run("item", "release", JOB, "0", "--dry-run", "-o", "json");
        assertThat(JsonParser.parseString(ostraka.out())
                        .getAsJsonObject()
                        .get("outcome")
                        .getAsString())
                .isEqualTo("PREVIEW");
        assertThat(ostraka.err()).contains("3 instances died");
    }

    @Test
    void statusReleasesItemsThatEndedInstancesOneAtATime(@Instances(1) TestCluster cluster) {
        quarantineAfterDeaths(cluster);
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out())
                .contains("ostraka item release settle 0\n", "ostraka item release settle 1\n")
                .contains("ostraka item disable settle 0 1 --reason")
                .doesNotContain("release settle 0 1")
                .containsSubsequence("item disable settle 0 1", "item release settle 0");
        assertThat(ostraka.run("item", "explain", JOB, "0")).isZero();
        assertThat(ostraka.out())
                .contains("3 instances died")
                .containsSubsequence("disable the item", "release it only after the cause is mended");
    }

    @Test
    void quarantinedItemThatIsDisabledIsANoteWithItsReason(@Instances(1) TestCluster cluster) {
        quarantineAfterDeaths(cluster);
        Harness ostraka = Harness.of(cluster);
        assertThat(ostraka.run("item", "disable", JOB, "1", "--reason", "ends its process"))
                .isZero();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(ostraka.run("status")).isZero();
        String[] parts = ostraka.out().split("Good to know:");
        assertThat(parts[0]).contains("item release settle 0").doesNotContain("settle 1", ": 0, 1");
        assertThat(parts[1])
                .contains("settle: items are quarantined, and an operator has disabled them: 1")
                .contains("disabled by ann 2026-01-01", "reason: ends its process")
                .doesNotContain("item enable");
        assertThat(ostraka.run("item", "disable", JOB, "0", "--reason", "the same"))
                .isZero();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out()).contains("Nothing needs you now.", "the latest of them was disabled by ann");
        assertThat(ostraka.run("job", "get", JOB)).isZero();
        assertThat(ostraka.out()).contains("Nothing needs you now.").doesNotContain("Items in trouble");
        assertThat(ostraka.run("item", "explain", JOB, "1")).isZero();
        assertThat(ostraka.out()).contains("the item is disabled", "by ann since 2026-01-01", "(the same)");
        assertThat(ostraka.run("item", "list", JOB, "-o", "wide")).isZero();
        assertThat(ostraka.out()).contains("disabled by ann 2026-01-01", "reason: the same");
    }

    @Test
    void releaseOfAnUnknownItemNamesTheItems(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(5).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("item", "release", JOB, "9")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("job 'settle' has no item 9; items of the job: 0 to 4");
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void evictionShowsRunsAndItemsThatNoOtherInstanceTakes(@Instances(2) TestCluster cluster) {
        String[] seen = new String[2];
        cluster.schedule(
                context -> {
                    if (seen[0] == null) {
                        seen[0] = "";
                        cluster.advance(Duration.ofMinutes(20));
                        Harness ostraka = Harness.of(cluster);
                        assertThat(ostraka.run("instance", "evict", context.instanceId(), "--dry-run"))
                                .isZero();
                        seen[0] = ostraka.out();
                        ostraka.typing("no\n");
                        assertThat(ostraka.run("instance", "evict", context.instanceId()))
                                .isEqualTo(2);
                        seen[1] = ostraka.err();
                        assertThat(commands(ostraka)).isEmpty();
                    }
                },
                hourly(2).maxItemsPerInstance(1).build());
        cluster.advance(Duration.ofHours(1));

        for (String text : seen) {
            assertThat(text)
                    .containsPattern("instance host-\\d@\\S+ runs 1 item now:")
                    .containsPattern("item \\d of job 'settle', run settle@2026-01-01T01:00:00Z, since .*20 min")
                    .contains("starts again on another instance", "hangs there, too")
                    .contains("comes back with a new session", "Only a restart of the process ends such code")
                    .containsPattern("items of job 'settle' lose their instance and wait: \\d");
        }
        assertThat(seen[1]).contains("Type the name of the namespace, orders: ");
    }

    @Test
    void pauseOfAnotherPersonIsShownAndNeedsAConfirmation(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        cluster.operations()
                .execute(new Command.Pause(JOB), CommandOptions.by("bob").because("database upgrade"));
        cluster.advance(Duration.ofHours(4));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "resume", JOB)).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err())
                .contains("job 'settle' was paused by bob 2026-01-01", "reason: database upgrade", "--yes");
        assertThat(commands(ostraka)).isEmpty();
        assertThat(ostraka.typing("settle\n").run("job", "resume", JOB)).isZero();
        cluster.advance(Duration.ofSeconds(6));
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void ownPauseAndPauseOfTheDefinitionNeedNoConfirmation(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).paused(true).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "resume", JOB)).isZero();
        assertThat(ostraka.err()).contains("job 'settle' is paused by its definition");
        assertThat(ostraka.run("job", "pause", JOB, "--reason", "upgrade")).isZero();
        assertThat(ostraka.run("job", "resume", JOB)).isZero();
        assertThat(ostraka.err()).contains("was paused by ann", "reason: upgrade");
    }

    @Test
    void reasonOfTheDefinitionsPauseIsShownUntilAnOperatorPausesTheJob(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {}, hourly(3).paused(true).pauseReason("migration").build());
        cluster.advance(Duration.ofSeconds(10));
        Harness ostraka = Harness.of(cluster);

        for (String command : new String[] {"job get settle", "job list -o wide", "status"}) {
            assertThat(ostraka.run(command.split(" "))).as(command).isZero();
            assertThat(ostraka.out()).as(command).contains("registered as paused: migration");
        }
        assertThat(ostraka.run("job", "resume", JOB)).isZero();
        assertThat(ostraka.err()).contains("job 'settle' is paused by its definition: migration");
        assertThat(ostraka.run("job", "pause", JOB, "--reason", "upgrade")).isZero();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(ostraka.run("job", "get", JOB)).isZero();
        assertThat(ostraka.out()).contains("paused by ann (upgrade)").doesNotContain("registered as paused");
    }

    @Test
    void resumeOfAJobThatIsNotPausedChangesNothing(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "resume", JOB, "--dry-run")).isZero();
        assertThat(ostraka.out())
                .contains("job 'settle' already is as requested")
                .doesNotContain("resumed");
        assertThat(ostraka.run("job", "resume", JOB)).isZero();
        assertThat(ostraka.out())
                .contains("job 'settle' already is as requested")
                .doesNotContain("resumed");
        assertThat(cluster.operations().job(JOB).version()).isZero();
        assertThat(ostraka.run("job", "pause", JOB)).isZero();
        assertThat(ostraka.run("job", "resume", JOB)).isZero();
        assertThat(ostraka.out()).contains("resumed job 'settle'");
    }

    @Test
    void triggerOfAJobWithoutCodeSaysThatTheRunWaits(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        Harness ostraka = Harness.of(cluster);
        assertThat(ostraka.run("job", "trigger", JOB, "--dry-run")).isZero();
        assertThat(ostraka.out()).doesNotContain("no live instance");
        cluster.instances().get(0).kill();
        cluster.advance(Duration.ofMinutes(2));

        assertThat(ostraka.run("job", "trigger", JOB, "--dry-run")).isZero();
        assertThat(ostraka.out()).contains("no live instance has the code of job 'settle', so a run waits");
        ostraka.run("job", "trigger", JOB);
        assertThat(ostraka.err()).contains("no live instance has the code of job 'settle', so a run waits");
    }

    @Test
    void freezeAndDrainOfAnotherPersonNeedAConfirmation(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        CommandOptions bob = CommandOptions.by("bob").because("new disks");
        cluster.operations().execute(new Command.Freeze(null), bob);
        cluster.operations().execute(new Command.DrainInstance("host-1", null), bob);
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("namespace", "thaw")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("the namespace was frozen by bob 2026-01-01", "reason: new disks", "--yes");
        assertThat(ostraka.run("instance", "undrain", "host-1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("instance 'host-1' was drained by bob 2026-01-01", "reason: new disks");
        assertThat(commands(ostraka)).isEmpty();
        assertThat(ostraka.typing("orders\n").run("namespace", "thaw")).isZero();
        assertThat(ostraka.typing("orders\n").run("instance", "undrain", "host-1"))
                .isZero();
    }

    @Test
    void overrideOfAnotherPersonNeedsAConfirmation(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        cluster.operations()
                .execute(
                        new Command.SetOverride(JOB, "timeout", Duration.ofHours(1)),
                        CommandOptions.by("bob").because("slow bank"));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "override", "remove", JOB)).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err())
                .contains("timeout of job 'settle' was overridden by bob", "reason: slow bank")
                .contains("'job override remove' on job 'settle' needs a confirmation");
        assertThat(ostraka.run("job", "override", "set", JOB, "timeout=2h")).isEqualTo(ExitCode.USAGE.code());
        assertThat(commands(ostraka)).isEmpty();
        assertThat(ostraka.run("job", "override", "set", JOB, "maxAttempts=5")).isZero();
        assertThat(ostraka.typing("settle\n").run("job", "override", "remove", JOB, "timeout"))
                .isZero();
    }

    @Test
    void overrideThatCannotBeTakenBackNeedsAConfirmation(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "override", "set", JOB, "fenceEpoch=1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("fenceEpoch of job 'settle' only rises, so no command can take this back");
        assertThat(commands(ostraka)).isEmpty();
        assertThat(ostraka.run("job", "override", "set", JOB, "fenceEpoch=1", "--dry-run"))
                .isZero();
        assertThat(ostraka.out()).contains("this cannot be taken back: fenceEpoch only rises");
        assertThat(ostraka.typing("settle\n").run("job", "override", "set", JOB, "fenceEpoch=1"))
                .isZero();
    }

    /** With a time of its own, the second pause would end the first one at that time. */
    @Test
    void pauseThatReplacesAnotherPersonsPauseNeedsAConfirmation(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        cluster.operations().execute(new Command.Pause(JOB), CommandOptions.by("bob"));
        cluster.advance(Duration.ofSeconds(6));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "pause", JOB, "--until", "2h")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("job 'settle' was paused by bob", "reason: none given");
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void dryRunOfAResumeCountsMissedFiresAndNamesThePolicy(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(3).build());
        cluster.operations().execute(new Command.Pause(JOB), CommandOptions.by("bob"));
        cluster.advance(Duration.ofHours(4));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "resume", JOB, "--dry-run")).isZero();
        assertThat(ostraka.out())
                .contains("paused by bob", "4 missed fires of each of 3 items so far; by the misfire policy")
                .contains("by the misfire policy fireOnce, the latest one runs")
                .contains("Dry run: nothing was changed. The result would be:\n  - resumed job 'settle'\n");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.PAUSED);
    }

    @Test
    void drainOfAnUnknownNameNamesTheNearestInstance(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(2).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("instance", "drain", "hots-1", "--dry-run")).isZero();
        assertThat(ostraka.out()).contains("no live instance or host has the name 'hots-1'; did you mean host-1");
    }

    @Test
    void drainAndDisableOfAnUnknownNameNeedAConfirmation(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(2).build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("instance", "drain", "hots-1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("did you mean host-1", "needs a confirmation", "--yes");
        assertThat(ostraka.run("instance", "disable", "hots-1", "--job", JOB)).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.typing("no\n").run("instance", "drain", "hots-1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(commands(ostraka)).isEmpty();
        assertThat(cluster.operations().namespace().drained()).isEmpty();

        assertThat(ostraka.typing("orders\n").run("instance", "drain", "hots-1"))
                .isZero();
        assertThat(ostraka.typing("settle\n").run("instance", "disable", "hots-1", "--job", JOB))
                .as(ostraka.err())
                .isZero();
        assertThat(ostraka.run("instance", "drain", "host-2", "--yes")).isZero();
    }
}
