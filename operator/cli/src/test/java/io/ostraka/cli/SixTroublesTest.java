package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A person on call finds each of six troubles with two commands, and the second command line mends it. */
@ExtendWith(OstrakaExtension.class)
class SixTroublesTest {
    private static JobConfiguration.Builder hourly(String job, int items) {
        return JobConfiguration.newBuilder(job, items).schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")));
    }

    @Test
    void pausedJobIsFoundExplainedAndMended(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 4).build());
        Harness ostraka = Harness.of(cluster);
        assertThat(ostraka.run("job", "pause", "settle", "--reason", "database upgrade"))
                .isZero();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out()).contains("settle: is paused", "database upgrade", "ann", "ostraka job resume settle");
        assertThat(ostraka.run("job", "get", "settle")).isZero();
        assertThat(ostraka.out()).contains("is paused", "ostraka job resume settle");

        assertThat(ostraka.run("job", "resume", "settle")).isZero();
        cluster.advance(Duration.ofSeconds(10));
        ostraka.run("status");
        assertThat(ostraka.out()).contains("Nothing needs you now.");
    }

    @Test
    void overrideThatMasksTheDefinitionIsFoundExplainedAndMended(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                hourly("settle", 4).timeout(Duration.ofMinutes(1)).build());
        Harness ostraka = Harness.of(cluster);
        assertThat(ostraka.run("job", "override", "set", "settle", "timeout=5m", "--reason", "slow bank"))
                .isZero();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out())
                .contains(
                        "settle: an override masks timeout: the definition says PT1M, in force is PT5M",
                        "set by ann",
                        "slow bank",
                        "ostraka job override remove settle timeout");
        assertThat(ostraka.run("job", "get", "settle")).isZero();

        assertThat(ostraka.run("job", "override", "remove", "settle", "timeout"))
                .isZero();
        cluster.advance(Duration.ofSeconds(10));
        ostraka.run("status");
        assertThat(ostraka.out()).contains("Nothing needs you now.");
    }

    @Test
    void quarantinedItemIsFoundExplainedAndMended(@Instances(2) TestCluster cluster) {
        boolean[] broken = {true};
        cluster.schedule(
                context -> {
                    if (broken[0] && context.itemKey().equals("1")) {
                        throw new IllegalStateException("no such account");
                    }
                },
                JobConfiguration.newBuilder("settle", 3)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .quarantineAfter(2)
                        .build());
        cluster.advance(Duration.ofMinutes(4));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out()).contains("no such account", "ostraka item release settle 1");

        broken[0] = false;
        assertThat(ostraka.run("item", "release", "settle", "1")).isZero();
        cluster.advance(Duration.ofMinutes(2));
        ostraka.run("status");
        assertThat(ostraka.out()).contains("Nothing needs you now.");
    }

    @Test
    void jobWithoutFittingInstanceIsFoundAndExplained(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {}, hourly("settle", 2).requiredInstances("gpu").build());
        cluster.advance(Duration.ofMinutes(2));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out()).contains("settle: ", "gpu", "ostraka instance list");
        assertThat(ostraka.run("job", "get", "settle")).isZero();
    }

    @Test
    void wrongClockIsFoundWithItsInstance(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly("settle", 2).build());
        TestCluster.Instance wrong = cluster.join(Duration.ofMinutes(5));
        cluster.advance(Duration.ofMinutes(2));
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out())
                .contains("host-1's clock is more than 10 s ahead of ZooKeeper's", wrong.id(), "set the clock of host")
                .doesNotContain("this host's", "settle: ");
        assertThat(ostraka.run("job", "get", "settle")).isZero();
        assertThat(ostraka.out()).contains("Nothing needs you now.").doesNotContain("this host's");
        assertThat(ostraka.run("job", "list", "-o", "wide")).isZero();
        assertThat(ostraka.out()).contains("settle").doesNotContain("CLOCK_AHEAD", "this host's");
        assertThat(ostraka.run("job", "list", "--problems", "-o", "name")).isZero();
        assertThat(ostraka.out()).isEmpty();
        assertThat(ostraka.run("instance", "list")).isZero();
        assertThat(ostraka.out()).contains("AHEAD");
    }

    @Test
    void runThatNeverEndsIsFoundAndStopped(@Instances(2) TestCluster cluster) {
        boolean[] stuck = {true};
        String[] seen = new String[1];
        cluster.schedule(
                context -> {
                    if (stuck[0] && context.itemKey().equals("0")) {
                        stuck[0] = false;
                        cluster.advance(Duration.ofMinutes(20));
                        Harness ostraka = Harness.of(cluster);
                        ostraka.run("status");
                        seen[0] = ostraka.out();
                        String line = ostraka.out()
                                .lines()
                                .filter(each -> each.contains("ostraka run stop"))
                                .findFirst()
                                .orElse("");
                        String[] words = line.substring(line.indexOf("ostraka") + "ostraka ".length())
                                .split(" ");
                        assertThat(ostraka.run(words)).isZero();
                        cluster.advance(Duration.ofSeconds(5));
                        assertThat(context.isCancelled()).isTrue();
                    }
                },
                hourly("settle", 2).build());
        cluster.advance(Duration.ofHours(1));

        assertThat(seen[0]).contains("runs take very long, of items 0", "ostraka run stop settle");
    }
}
