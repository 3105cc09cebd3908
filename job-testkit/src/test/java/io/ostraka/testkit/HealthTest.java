package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.JobOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nothing ever stops silently: whatever keeps a job from running shows in its instance's health, with since when. */
@ExtendWith(OstrakaExtension.class)
class HealthTest {
    private final List<Instant> fires = new ArrayList<>();

    private static JobConfiguration.Builder everySecond(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(1)));
    }

    private static Health health(TestCluster cluster, int instance) {
        return cluster.instances().get(instance).engine().health();
    }

    private static JobHealth job(TestCluster cluster, int instance, String job) {
        return health(cluster, instance).jobs().get(job);
    }

    @Test
    void anInstanceWhoseJobsRunIsGoodAndOneOfThemLeads(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("fine", 2).build());
        cluster.advance(Duration.ofSeconds(5));

        assertThat(health(cluster, 0).good()).isTrue();
        assertThat(health(cluster, 1).good()).isTrue();
        assertThat(health(cluster, 0).leading()).isNotEqualTo(health(cluster, 1).leading());
        assertThat(health(cluster, 0).instanceId())
                .isEqualTo(cluster.instances().get(0).id());
    }

    @Test
    void whatAnOperatorWantsIsNamedUntilItIsTakenBack(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                everySecond("wanted", 2).build());
        assertNamedWhile(cluster, Kind.PAUSED, Status.STOPPED, override -> override.withPaused(true));
        assertNamedWhile(
                cluster, Kind.DISABLED_ITEMS, Status.LIMITED, override -> override.withDisabledItems(Set.of("1")));
        assertNamedWhile(cluster, Kind.REMOVED, Status.STOPPED, override -> override.withRemoved(true));
    }

    private static void assertNamedWhile(
            TestCluster cluster, Kind kind, Status status, UnaryOperator<JobOverride> change) {
        Instant before = cluster.now();
        cluster.amend("wanted", change);
        cluster.advance(Duration.ofSeconds(5));
        JobHealth changed = job(cluster, 0, "wanted");
        assertThat(changed.reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.kind()).isEqualTo(kind);
            assertThat(reason.since()).isBetween(before, before.plusSeconds(2));
        });
        assertThat(changed.status()).isEqualTo(status);

        cluster.amend("wanted", override -> JobOverride.NONE);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(job(cluster, 0, "wanted").status()).isEqualTo(Status.RUNNING);
    }

    /** Those whose application came up before ZooKeeper did, and whose jobs then never ran. */
    @Test
    void jobsOfAnInstanceThatStartsTwoMinutesBeforeZooKeeperStartWithIt(@Instances(0) TestCluster cluster) {
        TestCluster.Instance early = cluster.joinCutOff();
        Instant start = cluster.now();
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                everySecond("early", 1).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(fires).isEmpty();
        Health waiting = early.engine().health();
        assertThat(waiting.connected()).isFalse();
        assertThat(waiting.connectedSince()).isBeforeOrEqualTo(start);
        assertThat(waiting.jobs().get("early").reason(Kind.NOT_REGISTERED)).isPresent();

        early.store().reconnect();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(fires).hasSizeGreaterThanOrEqualTo(8);
        assertThat(early.engine().health().good()).isTrue();
    }

    @Test
    void aLostConnectionIsNamedWithEveryJobUntilItIsBack(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("cut", 2).build());
        cluster.advance(Duration.ofSeconds(5));
        Instant before = cluster.now();
        cluster.instances().get(0).store().suspend();
        cluster.advance(Duration.ofSeconds(5));

        assertThat(health(cluster, 0).connected()).isFalse();
        assertThat(health(cluster, 0).connectedSince()).isBetween(before, before.plusSeconds(1));
        assertThat(job(cluster, 0, "cut").reason(Kind.DISCONNECTED)).isPresent();
        assertThat(health(cluster, 1).good()).isTrue();

        cluster.instances().get(0).store().reconnect();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(health(cluster, 0).good()).isTrue();
    }

    /** Those who changed the number of shards, and saw neither old nor new ones run, nor why. */
    @Test
    void aChangeOfTheItemCountSaysWhichItemItWaitsForOnWhichInstanceSinceWhen(@Instances(1) TestCluster cluster) {
        List<JobHealth> seen = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 1 && seen.isEmpty()) {
                        cluster.instances()
                                .get(0)
                                .engine()
                                .amend("slow", override -> override.withShardingTotalCount(3));
                        cluster.advance(Duration.ofSeconds(30));
                        seen.add(job(cluster, 0, "slow"));
                    }
                },
                everySecond("slow", 2).build());
        cluster.advance(Duration.ofSeconds(60));

        assertThat(seen.get(0).status()).isEqualTo(Status.STOPPED);
        assertThat(seen.get(0).reason(Kind.ITEM_COUNT_CHANGING)).hasValueSatisfying(reason -> assertThat(reason.text())
                .contains(
                        "from 2 to 3",
                        "waits for item 1 on instance "
                                + cluster.instances().get(0).id(),
                        "since"));
        assertThat(health(cluster, 0).good()).isTrue();
    }

    @Test
    void aJobThatIsNoLongerHostedIsNoLongerNamed(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("gone", 1).build());
        cluster.instances().get(0).engine().unregister("gone");
        cluster.advance(Duration.ofMinutes(2));

        assertThat(health(cluster, 0).jobs()).isEmpty();
    }
}
