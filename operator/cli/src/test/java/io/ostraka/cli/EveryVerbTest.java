package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests every verb against the real API, and its effect in the cluster. */
@ExtendWith(OstrakaExtension.class)
class EveryVerbTest {
    private static final String JOB = "settle";

    private TestCluster cluster;
    private Harness ostraka;

    private void start(TestCluster given) {
        cluster = given;
        cluster.schedule(
                context -> {
                    if (context.itemKey().equals("0") && context.jobParameter().equals("bad")) {
                        throw new IllegalStateException("no such account");
                    }
                },
                JobConfiguration.newBuilder(JOB, 3)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .jobParameter("good")
                        .quarantineAfter(2)
                        .build());
        ostraka = Harness.of(cluster);
    }

    private String ok(String... arguments) {
        int code = ostraka.run(arguments);
        assertThat(code).as(String.join(" ", arguments) + ": " + ostraka.err()).isZero();
        cluster.advance(Duration.ofSeconds(6));
        return ostraka.out();
    }

    private JsonObject json(String... arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "-o";
        all[arguments.length + 1] = "json";
        return JsonParser.parseString(ok(all)).getAsJsonObject();
    }

    private ItemDetails item(String key) {
        return cluster.operations().items(JOB, List.of(key)).get(0);
    }

    @Test
    void pauseAndResume(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "pause", JOB, "--until", "2h", "--reason", "upgrade");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.PAUSED);
        assertThat(cluster.operations().job(JOB).summary().stateText()).contains("upgrade");
        ok("job", "resume", JOB, "--skip-missed");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.ACTIVE);
        assertThat(cluster.operations().job(JOB).skipTo()).isNotNull();
    }

    @Test
    void skippedFires(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "skip", JOB, "--to", "2026-01-01T05:30Z");
        assertThat(cluster.operations().job(JOB).skipTo()).isEqualTo("2026-01-01T05:30:00Z");
        assertThat(ok("job", "get", JOB)).contains("all fires before 2026-01-01 05:30:00Z");
    }

    @Test
    void overridesOfEveryType(@Instances(2) TestCluster given) {
        start(given);
        ok(
                "job",
                "override",
                "set",
                JOB,
                "timeout=5m",
                "maxAttempts=7",
                "failover=false",
                "jobParameter=12",
                "shardingTotalCount=4");
        ok("job", "override", "set", JOB, "schedule={\"type\":\"fixedRate\",\"period\":\"PT1H\"}");
        var job = cluster.operations().job(JOB);
        assertThat(job.field("timeout").orElseThrow().effective()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job.field("maxAttempts").orElseThrow().effective()).isEqualTo(7);
        assertThat(job.field("failover").orElseThrow().effective()).isEqualTo(false);
        assertThat(job.field("jobParameter").orElseThrow().effective()).isEqualTo("12");
        assertThat(job.field("schedule").orElseThrow().effective()).isEqualTo(Schedule.fixedRate(Duration.ofHours(1)));
        ok("job", "override", "remove", JOB, "timeout", "jobParameter");
        assertThat(cluster.operations().job(JOB).field("timeout").orElseThrow().overridden())
                .isFalse();
        ok("job", "override", "remove", JOB);
        assertThat(cluster.operations().job(JOB).fields()).noneMatch(each -> each.overridden());
    }

    @Test
    void triggersAndTheirRuns(@Instances(2) TestCluster given) {
        start(given);
        JsonObject trigger = json(
                "job",
                "trigger",
                JOB,
                "--item",
                "0",
                "--item",
                "2",
                "--parameter",
                "day=monday",
                "--request-id",
                "r-1");
        assertThat(trigger.get("created").getAsString()).isEqualTo("r-1");
        assertThat(json("run", "get", JOB, "r-1").get("state").getAsString()).isEqualTo("ENDED");
        assertThat(ok("run", "get", JOB, "r-1")).contains("SUCCEEDED").doesNotContain("not ended");
        assertThat(ostraka.run("run", "wait", JOB, "r-1")).isZero();
        assertThat(ok("run", "rerun", JOB, "r-1", "--item", "2", "--parameter", "mode=correction"))
                .contains("with the parameters day, mode, of which the command sets mode");

        ok("job", "trigger", JOB, "--delay", "30m", "--request-id", "r-2");
        assertThat(ok("job", "get", JOB)).contains("trigger    r-2, due");
        ok("run", "cancel", JOB, "r-2");
        assertThat(cluster.operations().job(JOB).triggers()).isEmpty();
    }

    @Test
    void waitsForARunAndReportsItsFailure(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "override", "set", JOB, "jobParameter=bad");
        ok("job", "trigger", JOB, "--delay", "10m", "--request-id", "r-1");
        int[] reads = new int[1];
        ostraka.pause(() -> {
            reads[0]++;
            cluster.advance(Duration.ofMinutes(6));
            return true;
        });

        assertThat(ostraka.run("run", "wait", JOB, "r-1")).isEqualTo(ExitCode.RUN_FAILED.code());
        assertThat(ostraka.out()).contains("FAILED", "SUCCEEDED");
        assertThat(ostraka.err()).contains("WAITING");
        assertThat(reads[0]).isEqualTo(2);
    }

    @Tag("slow")
    @Test
    void itemsAndTheirCommands(@Instances(2) TestCluster given) {
        start(given);
        ok("item", "disable", JOB, "1", "2");
        assertThat(cluster.operations().job(JOB).disabledItems()).isEqualTo(Set.of("1", "2"));
        assertThat(ok("item", "list", JOB, "--trouble"))
                .contains("IDLE, disabled")
                .doesNotContain("\n0 ");
        ok("item", "enable", JOB, "1", "2");
        assertThat(cluster.operations().job(JOB).disabledItems()).isEmpty();
        assertThat(ok("item", "explain", JOB, "1")).contains("item 1");
        assertThat(json("item", "list", JOB, "1").getAsJsonArray("items")).hasSize(1);

        ok("job", "override", "set", JOB, "jobParameter=bad");
        cluster.advance(Duration.ofHours(3));
        assertThat(item("0").state()).isEqualTo(ItemDetails.State.QUARANTINED);
        ok("item", "release", JOB, "0", "--reason", "account exists");
        assertThat(item("0").state()).isEqualTo(ItemDetails.State.IDLE);
        assertThat(ostraka.run("item", "set-back-cursor", JOB, "0")).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(ostraka.err()).contains("ostraka: ");
    }

    @Test
    void instancesAndTheirCommands(@Instances(2) TestCluster given) {
        start(given);
        ok("instance", "disable", "host-1", "--job", JOB);
        assertThat(cluster.operations().job(JOB).disabledInstances()).containsExactly("host-1");
        ok("instance", "enable", "host-1", "--job", JOB);
        assertThat(cluster.operations().job(JOB).disabledInstances()).isEmpty();
        ok("instance", "drain", "host-1", "--until", "22:00", "--reason", "new disk");
        assertThat(cluster.operations().namespace().drained()).containsOnlyKeys("host-1");
        assertThat(ok("status"))
                .contains("instance 'host-1' is drained", "new disk", "ostraka instance undrain host-1");
        assertThat(ok("namespace", "get")).contains("drained: host-1");
        ok("instance", "undrain", "host-1");
        assertThat(cluster.operations().namespace().drained()).isEmpty();
        assertThat(ok("instance", "list")).contains("host-0@", "host-1@", "WORKING");
        ok("instance", "evict", cluster.instances().get(1).id(), "--yes");
        cluster.advance(Duration.ofMinutes(1));
        assertThat(json("instance", "list").getAsJsonArray("instances")).hasSize(2);
    }

    @Test
    void freezeThawAndSettings(@Instances(2) TestCluster given, @TempDir Path directory) throws Exception {
        start(given);
        ok("job", "pause", JOB);
        ok("namespace", "freeze", "--yes", "--reason", "migration");
        assertThat(ok("status")).contains("the namespace is frozen", "migration", "ostraka namespace thaw");
        Path file = directory.resolve("a file.json");
        Files.writeString(file, ok("namespace", "export"));
        ok("namespace", "thaw");
        ok("job", "resume", JOB);
        assertThat(ok("namespace", "diff", file.toString())).contains("frozen", JOB);
        ok("namespace", "apply", file.toString(), "--yes");
        assertThat(cluster.operations().namespace().frozen()).isNotNull();
        assertThat(ok("namespace", "diff", file.toString())).isEmpty();
        assertThat(ostraka.err()).isEqualTo("none\n");
    }

    @Test
    void silencedAlarms(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "silence", JOB, "--kind", "missed", "--kind", "LATE", "--until", "1d");
        ok("job", "unsilence", JOB);
        assertThat(json("alarm", "list", "--firing").getAsJsonArray("alarms")).isEmpty();
    }

    @Test
    void removedAndPurgedJob(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "remove", JOB, "--yes");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.REMOVED);
        assertThat(ok("job", "list")).contains("REMOVED");
        assertThat(ostraka.run("job", "purge", JOB, "--yes")).isEqualTo(ExitCode.CONFLICT.code());
    }

    @Tag("slow")
    @Test
    void backfills(@Instances(2) TestCluster given) {
        start(given);
        cluster.advance(Duration.ofHours(5));
        ok("namespace", "freeze", "--yes");
        ok(
                "backfill",
                "start",
                JOB,
                "--from",
                "2026-01-01T01:00Z",
                "--to",
                "2026-01-01T04:00Z",
                "--parameter",
                "x=y",
                "--parallel",
                "1",
                "--max-failures",
                "2");
        assertThat(ok("backfill", "list")).contains(JOB, "RUNNING", "/3");
        ok("backfill", "stop", JOB);
        assertThat(ok("backfill", "list")).contains("STOPPED");
        ok("backfill", "resume", JOB);
        assertThat(ok("backfill", "list")).contains("RUNNING");
    }

    @Test
    void stopsARun(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ostraka.run("run", "stop", JOB, "no-such-run")).isEqualTo(ExitCode.USAGE.code());
        assertThat(ostraka.err()).contains("no-such-run");
    }

    @Test
    void viewsOfTheFuture(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ok("job", "next", JOB, "--count", "2").lines()).hasSize(3);
        assertThat(ok("job", "next", JOB, "--count", "1")).contains("2026-01-01 01:00:00Z", "in ");
        assertThat(json("forecast", "--slot", "1h", "--slots", "3").getAsJsonArray("slots"))
                .hasSize(3);
        assertThat(ok("forecast", "--from", "2026-01-02", "--slots", "1", "--slot", "1d"))
                .contains("24", JOB + " 24");
        assertThat(ok("job", "activity", JOB)).contains(JOB);
        assertThat(ok("namespace", "list")).contains(Harness.NAMESPACE);
    }

    @Test
    void dryRunChangesNothing(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ok("job", "remove", JOB, "--dry-run"))
                .startsWith("Dry run: nothing was changed. The result would be:\n  - removed job 'settle'\n");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void waitForARunEndsAtItsLimit(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "trigger", JOB, "--delay", "10h", "--request-id", "r-1");
        ostraka.pause(() -> {
            cluster.advance(Duration.ofMinutes(6));
            return true;
        });

        assertThat(ostraka.run("run", "wait", JOB, "r-1", "--within", "1h")).isEqualTo(ExitCode.OUTCOME_UNKNOWN.code());
        assertThat(ostraka.err()).contains("the run has not ended within 1 h, and continues", "WAITING");
    }

    @Test
    void versionOfTheViewIsExpected(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "pause", JOB, "--if-version", "0");
        assertThat(ostraka.run("job", "resume", JOB, "--if-version", "0")).isEqualTo(ExitCode.CONFLICT.code());
        long version = json("job", "get", JOB).get("version").getAsLong();
        ok("job", "resume", JOB, "--if-version", String.valueOf(version));
    }

    @Test
    void repeatedRequestIdAppliesOnce(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "pause", JOB, "--request-id", "r-7");
        ok("job", "resume", JOB);
        ok("job", "pause", JOB, "--request-id", "r-7");
        assertThat(cluster.operations().job(JOB).summary().state()).isEqualTo(JobState.ACTIVE);
    }

    @Test
    void watchReadsAgainUntilItEnds(@Instances(2) TestCluster given) {
        start(given);
        int[] reads = new int[1];
        ostraka.pause(() -> ++reads[0] < 3);
        List<String> lines = ok("job", "list", "--watch", "-o", "json").lines().toList();
        assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(JsonParser.parseString(line))
                .isNotNull());
    }
}
