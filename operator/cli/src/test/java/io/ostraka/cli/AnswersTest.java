package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the texts for people: dry runs, the fields of a job, and hints after a mistake. */
@ExtendWith(OstrakaExtension.class)
class AnswersTest {
    private static final String JOB = "settle";

    private TestCluster cluster;
    private Harness ostraka;

    private void start(TestCluster given) {
        cluster = given;
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 3)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .quarantineAfter(2)
                        .build());
        ostraka = Harness.of(cluster);
    }

    private String ok(String... arguments) {
        assertThat(ostraka.run(arguments)).as(ostraka.err()).isZero();
        cluster.advance(Duration.ofSeconds(6));
        return ostraka.out();
    }

    @Test
    void dryRunOfADrainHasOneLineForEachMove(@Instances(2) TestCluster given) {
        start(given);
        List<String> lines =
                ok("instance", "drain", "host-1", "--dry-run").lines().toList();

        assertThat(lines).hasSize(5);
        assertThat(lines.get(1)).startsWith("  - 'host-1' is drained");
        assertThat(lines.get(2)).matches("  - items of job 'settle' move from host-1 to host-0: [\\d, ]+");
    }

    @Test
    void fieldsThatDifferFromTheirDefaultsAreInATable(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ok("job", "get", JOB))
                .contains("Fields that differ from their defaults ('-o wide' shows all ")
                .containsPattern("FIELD +DEFINITION +OVERRIDE +IN FORCE")
                .containsPattern("quarantineAfter +2 +- +2 ")
                .doesNotContain("maxAttempts");
        ok("job", "override", "set", JOB, "quarantineAfter=5", "--reason", "slow bank");
        assertThat(ok("job", "get", JOB)).containsPattern("quarantineAfter +2 +5 +5 +ann +slow bank");
        assertThat(ok("job", "get", JOB, "-o", "wide"))
                .contains("Fields of the configuration:")
                .containsPattern("maxAttempts +3 +- +3 ");
    }

    @Test
    void changeThatLastsSaysThatItHasNoReason(@Instances(2) TestCluster given) {
        start(given);
        ok("job", "pause", JOB);
        assertThat(ostraka.err()).contains("no reason was stored; --reason 'text' stores one");
        ok("job", "resume", JOB);
        assertThat(ostraka.err()).doesNotContain("no reason was stored");
        ok("job", "pause", JOB, "--reason", "upgrade");
        assertThat(ostraka.err()).doesNotContain("no reason was stored");
    }

    @Test
    void unknownItemIsNotFound(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ostraka.run("item", "explain", JOB, "99")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("99", "items of the job: 0 to 2");
        assertThat(ostraka.run("item", "list", JOB, "99")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.out()).isEmpty();
    }

    @Test
    void nearestNameIsSuggested(@Instances(2) TestCluster given) {
        start(given);
        assertThat(ostraka.run("job", "get", "setle")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("; did you mean settle?");
        assertThat(ostraka.run("job", "pause", "settel")).isIn(3, 5);
        assertThat(ostraka.err()).containsOnlyOnce("; did you mean settle?");
        assertThat(ostraka.run("job", "get", "report")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).doesNotContain("did you mean");
        assertThat(ostraka.run("job", "activity", "setle")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("; did you mean settle?");
        assertThat(ostraka.run("-n", "ordres", "job", "list")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("; did you mean orders?");
        assertThat(ostraka.run("instance", "evict", "hots-1", "--yes")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(ostraka.err()).contains("; did you mean host-");
    }
}
