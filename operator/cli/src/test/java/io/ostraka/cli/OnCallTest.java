package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.console.Response;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that the texts for a person on call lead to the right action. */
@ExtendWith(OstrakaExtension.class)
class OnCallTest {
    private static final String JOB = "settle";

    @Test
    void helpSaysWhatAnEvictionDoesAndWhereRunIdsComeFrom() {
        Harness ostraka = Harness.answering(request -> new Response(200, Map.of(), new byte[0]));
        assertThat(ostraka.run("instance", "evict", "--help")).isZero();
        assertThat(ostraka.out().replaceAll("\\s+", " "))
                .contains("only a restart of the process ends such code")
                .contains("unless several instances have it");
        assertThat(ostraka.run("run", "stop", "--help")).isZero();
        assertThat(ostraka.out().replaceAll("\\s+", " ")).contains("RUN ID in 'item list JOB -o wide'");
    }

    @Test
    void silenceIsShownAtOnceWhereverItMatters(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("no such account");
                },
                JobConfiguration.newBuilder(JOB, 2)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .quarantineAfter(2)
                        .build());
        cluster.advance(Duration.ofMinutes(5));
        Harness ostraka = Harness.of(cluster);
        assertThat(ostraka.run("job", "silence", JOB, "--until", "5m", "--reason", "known"))
                .isZero();

        String silence = "set by ann 2026-01-01 00:05:";
        assertThat(ostraka.run("alarm", "list", "-o", "wide")).isZero();
        assertThat(ostraka.out())
                .contains(
                        "- settle: all alarms are silenced, so no handler gets new ones",
                        silence,
                        "reason: known, until 2026");
        for (String view : new String[] {"status", "job get settle"}) {
            assertThat(ostraka.run(view.split(" "))).as(view).isZero();
            assertThat(ostraka.out())
                    .as(view)
                    .contains("- settle: all alarms are silenced", "set by ann", "ostraka job unsilence settle");
        }
        assertThat(ostraka.run("job", "unsilence", JOB)).isZero();
        ostraka.run("alarm", "list", "-o", "wide");
        assertThat(ostraka.out()).doesNotContain("silenced,", "by ann");
    }

    @Test
    void statusNamesTheFiresThatWereSkippedAfterADeath(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                        .build());
        cluster.advance(Duration.ofMinutes(1));
        TestCluster.Instance owner = cluster.instances().get(0);
        cluster.join();
        owner.kill();
        cluster.advance(Duration.ofMinutes(1));

        Harness ostraka = Harness.of(cluster);
        for (String view : new String[] {"status", "job get settle"}) {
            assertThat(ostraka.run(view.split(" "))).as(view).isZero();
            assertThat(ostraka.out().replaceAll("\\s+", " "))
                    .as(view)
                    .contains("settle: item 0 could not start", "fires in time", "ostraka item list settle");
        }
    }

    @Test
    void itemsOfGoneInstancesAreNeitherListedNorInTrouble(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("no such account");
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(3));
        Harness ostraka = Harness.of(cluster);
        ostraka.run("item", "list", JOB, "-o", "name");
        assertThat(ostraka.out().lines()).hasSize(2);
        cluster.instances().get(1).kill();
        cluster.advance(Duration.ofMinutes(10));

        assertThat(ostraka.run("item", "list", JOB, "-o", "name")).isZero();
        assertThat(ostraka.out().lines()).hasSize(1);
        String item = ostraka.out().strip();
        assertThat(ostraka.run("item", "explain", JOB, item)).isZero();
        assertThat(ostraka.out()).contains("it is the item of that instance");
        assertThat(ostraka.run("job", "get", JOB)).isZero();
        assertThat(ostraka.out().split("Items in trouble:")[1]).contains(item).doesNotContain("host-1");
    }

    @Test
    void backfillNamesTheLatestEndAndAcceptsNow(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(5));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("backfill", "start", JOB, "--from", "-3m", "--to", "1h"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("not after now; the latest is 2026-01-01T00:05:");
        assertThat(ostraka.run("backfill", "start", JOB, "--from", "-3m", "--to", "now"))
                .as(ostraka.err())
                .isZero();
        assertThat(ostraka.run("backfill", "stop", JOB)).isZero();
    }

    @Test
    void mistypedFieldsAndSchedulesAreExplained(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.cron("0 0 2 * * ?", ZoneId.of("Europe/Berlin"))
                                .excluding(none -> none.weekdays(DayOfWeek.SUNDAY))
                                .jitter(Duration.ofMinutes(2)))
                        .build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "get", JOB)).isZero();
        assertThat(ostraka.out())
                .containsPattern("schedule +cron '0 0 2 \\* \\* \\?' in Europe/Berlin, excluding .*, jitter PT2M");

        assertThat(ostraka.run("job", "override", "set", JOB, "shedule=1")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("did you mean schedule");
        assertThat(ostraka.run("job", "override", "remove", JOB, "timeot")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("did you mean timeout");
        assertThat(ostraka.run("job", "override", "set", JOB, "schedule=PT10S")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err())
                .contains("schedule is 'PT10S'", "'cron=0 0 3 * * ?'", "fixedRate=10s", "'schedule={\"type\":");
        assertThat(ostraka.run("job", "override", "set", JOB, "schedule={\"type\":\"fixedRate\",\"period\":\"PT10S\"}"))
                .isZero();
        cluster.advance(Duration.ofSeconds(6));
        ostraka.run("status");
        assertThat(ostraka.out())
                .contains("the definition says cron '0 0 2 * * ?' in Europe/Berlin", "in force is fixedRate PT10S");
    }

    @Test
    void overrideOfTheScheduleTakesACronExpression(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "override", "set", JOB, "cron=0 0 6 * *")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("schedule", "0 0 6 * *", "accepted");
        assertThat(ostraka.run("job", "override", "set", JOB, "cron=0 0 6 * * ?", "timeZone=Mars"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("schedule.zone is \"Mars\"; accepted: a time zone");
        assertThat(ostraka.run("job", "override", "set", JOB, "corn=0 0 6 * * ?"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("did you mean cron?");
        assertThat(ostraka.run("job", "override", "set", JOB, "cron=0 0 6 * * ?", "timeZone=Europe/Berlin"))
                .isZero();
        cluster.advance(Duration.ofSeconds(6));
        assertThat(ostraka.run("job", "override", "set", JOB, "fixedRate=10s", "--dry-run"))
                .isZero();
        assertThat(ostraka.out()).contains("schedule of job 'settle' was overridden by ann");
        ostraka.run("job", "get", JOB);
        assertThat(ostraka.out()).contains("schedule   cron '0 0 6 * * ?' in Europe/Berlin");
    }

    @Test
    void runOfAScheduledFireNamesThePageOfEarlierRuns(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("run", "get", JOB, "settle@2026-01-01T00:00:00Z"))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("the page Runs of a console with a history shows earlier ones");
    }
}
