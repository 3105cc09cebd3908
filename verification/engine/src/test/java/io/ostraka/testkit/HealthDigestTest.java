package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceState;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that each instance publishes the problems in its health, for observers and for the leader. */
@ExtendWith(OstrakaExtension.class)
class HealthDigestTest {
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** A client without jobs that reads the digests. */
    private static final class Reader {
        final InMemoryNodeStore store;
        final Coordination coordination;

        Reader(TestCluster cluster) {
            store = cluster.tree().connect("reader", Runnable::run);
            store.start(new DeafListener());
            coordination = new TreeCoordination(
                    store, cluster.time().platform(Duration.ZERO).clock());
        }

        List<PublishedDigest> digests() {
            return coordination.membership().digests().toCompletableFuture().join();
        }

        PublishedDigest published(TestCluster.Instance instance) {
            return digests().stream()
                    .filter(each -> each.instance().equals(instance.id()))
                    .findFirst()
                    .orElseThrow();
        }

        HealthDigest digest(TestCluster.Instance instance) {
            return Objects.requireNonNull(published(instance).digest()).value();
        }

        ClusterHealth health() {
            Set<String> live = coordination.membership().instances().toCompletableFuture().join().stream()
                    .map(InstanceInfo::id)
                    .collect(Collectors.toSet());
            return ClusterHealth.of(digests(), live);
        }

        List<ReportedReason> reasons(String job) {
            return health().jobs().getOrDefault(job, List.of());
        }
    }

    private static JobConfiguration everySecond(String name) {
        return JobConfiguration.newBuilder(name, 2)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                .build();
    }

    private static void schedule(TestCluster cluster, String name) {
        cluster.schedule(context -> {}, everySecond(name));
        cluster.advance(Duration.ofSeconds(10));
    }

    /** Returns a list to which the time of each further write of a digest is added. */
    private static List<Instant> writes(TestCluster cluster) {
        List<Instant> writes = new ArrayList<>();
        cluster.tree().onCommit(transaction -> transaction.operations().stream()
                .filter(operation -> operation instanceof NodeOp.Set || operation instanceof NodeOp.Create)
                .filter(operation -> operation.path().startsWith("/health/"))
                .forEach(operation -> writes.add(transaction.at())));
        return writes;
    }

    @Test
    void reasonIsPublishedWithinFiveSecondsByAllInstancesAndDisappears(@Instances(3) TestCluster cluster) {
        schedule(cluster, "job");
        Reader reader = new Reader(cluster);
        assertThat(reader.health()).isEqualTo(new ClusterHealth(Map.of(), Map.of(), Map.of()));

        Instant before = cluster.now();
        cluster.pause("job");
        cluster.advance(PAUSE.minusSeconds(1)); // the call took a second
        assertThat(reader.reasons("job")).singleElement().satisfies(shared -> {
            assertThat(shared.reason().kind()).isEqualTo(Kind.PAUSED);
            assertThat(shared.reason().since()).isBetween(before, before.plusSeconds(1));
            assertThat(shared.instances())
                    .containsExactlyInAnyOrderElementsOf(cluster.instances().stream()
                            .map(TestCluster.Instance::id)
                            .toList());
        });

        cluster.resume("job");
        cluster.advance(PAUSE.minusSeconds(1));
        assertThat(reader.health()).isEqualTo(new ClusterHealth(Map.of(), Map.of(), Map.of()));
    }

    @Test
    void digestHasTheStateOfTheInstance(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        Reader reader = new Reader(cluster);
        TestCluster.Instance drained = cluster.instances().get(1);
        drained.engine().drain(true);
        drained.store().tell(listener -> listener.limited("jute.maxbuffer is small"));
        cluster.advance(PAUSE);

        HealthDigest digest = reader.digest(drained);
        assertThat(digest.state()).isEqualTo(InstanceState.DRAINING);
        assertThat(digest.connectedSince()).isEqualTo(drained.health().connectedSince());
        assertThat(digest.problem()).isEqualTo("jute.maxbuffer is small");
        assertThat(cluster.instances())
                .allMatch(each -> reader.digest(each).leading() == each.health().leading());
        assertThat(reader.health().problems()).containsOnlyKeys(drained.id());
    }

    @Test
    void reasonThatOnlyTheLeaderKnowsIsVisibleToEveryone(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        cluster.instances().forEach(each -> each.engine().unregister("job"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(new Reader(cluster).reasons("job")).singleElement().satisfies(shared -> {
            assertThat(shared.reason().kind()).isEqualTo(Kind.NO_HOST);
            assertThat(shared.instances()).containsExactly(cluster.leader().id());
        });
    }

    @Test
    void viewsHaveThePublishedHealth(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        TestCluster.Instance troubled = cluster.instances().get(1);
        troubled.store().tell(listener -> listener.limited("jute.maxbuffer is small"));
        cluster.pause("job");
        cluster.advance(PAUSE);
        new ZkCli(cluster).write("/health/" + cluster.instances().get(0).id(), "damaged");

        List<JobSummary> all = List.of(
                cluster.operations().jobs().get(0),
                cluster.operations().job("job").summary());
        assertThat(all)
                .allSatisfy(
                        summary -> assertThat(summary.health()).singleElement().satisfies(reported -> {
                            assertThat(reported.reason().kind()).isEqualTo(Kind.PAUSED);
                            assertThat(reported.instances()).containsExactly(troubled.id());
                        }));
        List<InstanceDetails> instances = cluster.operations().instances();
        assertThat(instances).extracting(InstanceDetails::problem).containsExactly(null, "jute.maxbuffer is small");
        assertThat(instances.get(0).healthGap()).contains("can't be read");
        assertThat(instances.get(1).healthGap()).isNull();
    }

    @Test
    void steadyStateCostsNoRequest(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        schedule(cluster, "paused");
        cluster.pause("paused"); // a reason that does not change must not cost a request either
        cluster.advance(Duration.ofSeconds(10));
        List<String> touched = new ArrayList<>();
        cluster.tree().refuse(operation -> operation.path().startsWith("/health") && !touched.add(operation.path()));
        cluster.advance(Duration.ofMinutes(10));

        assertThat(touched).isEmpty();
    }

    @Test
    void flappingReasonCostsAtMostOneWriteInFiveSeconds(@Instances(1) TestCluster cluster) {
        schedule(cluster, "job");
        List<Instant> writes = writes(cluster);
        for (int i = 0; i < 50; i++) {
            cluster.pause("job");
            cluster.advance(Duration.ofMillis(700));
            cluster.resume("job");
        }
        assertThat(writes).hasSizeBetween(10, 30);
        for (int i = 1; i < writes.size(); i++) {
            assertThat(Duration.between(writes.get(i - 1), writes.get(i))).isGreaterThanOrEqualTo(PAUSE);
        }
        cluster.advance(PAUSE);
        assertThat(new Reader(cluster).reasons("job")).isEmpty();
    }

    @Test
    void unreadableDigestIsReportedUntilTheNextChange(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        Reader reader = new Reader(cluster);
        TestCluster.Instance damaged = cluster.instances().get(0);
        new ZkCli(cluster).write("/health/" + damaged.id(), "{\"format\":4");

        assertThat(reader.published(damaged).digest()).isNull();
        assertThat(reader.health().incomplete())
                .containsOnlyKeys(damaged.id())
                .hasEntrySatisfying(damaged.id(), text -> assertThat(text).contains("malformed JSON"));

        cluster.pause("job");
        cluster.advance(PAUSE);
        assertThat(reader.health().incomplete()).isEmpty();
    }

    /** A node without a session would outlive the instance. */
    @Test
    void nodeThatAPersonHasCreatedIsReported(@Instances(1) TestCluster cluster) {
        schedule(cluster, "job");
        TestCluster.Instance instance = cluster.instances().get(0);
        ZkCli zkCli = new ZkCli(cluster);
        String digest = zkCli.text("/health/" + instance.id());
        zkCli.delete("/health/" + instance.id());
        Reader reader = new Reader(cluster);
        assertThat(reader.health().incomplete().get(instance.id())).contains("no health");

        zkCli.write("/health/" + instance.id(), digest);
        assertThat(reader.health().incomplete().get(instance.id())).contains("belongs to no session");
        zkCli.delete("/health/" + instance.id());
        zkCli.delete("/health");
        cluster.pause("job");
        cluster.advance(PAUSE);
        assertThat(reader.reasons("job")).hasSize(1);
    }

    @Test
    void newSessionPublishesAgainAndTheOldDigestIsGone(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        cluster.pause("job");
        TestCluster.Instance instance = cluster.instances().get(0);
        String before = instance.id();
        instance.expireSession();
        cluster.advance(PAUSE);

        assertThat(instance.id()).isNotEqualTo(before);
        Reader reader = new Reader(cluster);
        assertThat(reader.digests()).extracting(PublishedDigest::instance).doesNotContain(before);
        assertThat(reader.digest(instance).jobs()).containsOnlyKeys("job");
        assertThat(reader.health().incomplete()).isEmpty();
    }

    @Test
    void partitionedInstancePublishesAfterItsReturn(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        Reader reader = new Reader(cluster);
        TestCluster.Instance other = cluster.leader(); // keeps its connection, because no plan changes without a leader
        TestCluster.Instance cut = cluster.instances().get(cluster.instances().indexOf(other) == 0 ? 1 : 0);
        cut.store().suspend();
        cluster.advance(Duration.ofSeconds(1));
        other.commands().amend("job", override -> override.withPaused(true));
        cluster.advance(Duration.ofSeconds(5));
        assertThat(reader.reasons("job")).singleElement().satisfies(shared -> assertThat(shared.instances())
                .containsExactly(other.id()));

        cut.store().reconnect();
        cluster.advance(PAUSE);
        assertThat(reader.reasons("job")).singleElement().satisfies(shared -> assertThat(shared.instances())
                .containsExactlyInAnyOrder(cut.id(), other.id()));
        assertThat(reader.digest(cut).jobs().get("job"))
                .extracting(Reason::kind)
                .containsExactly(Kind.PAUSED);
    }

    @Test
    void lostReplyOfAWriteIsRepaired(@Instances(1) TestCluster cluster) {
        schedule(cluster, "job");
        cluster.pause("job");
        cluster.advance(PAUSE);
        InMemoryNodeStore store = cluster.instances().get(0).store();
        List<Instant> writes = writes(cluster);
        cluster.amend("job", override -> override.withPaused(false));
        store.loseNextReply(); // the digest, because nothing else is written
        cluster.advance(PAUSE.multipliedBy(2));

        assertThat(writes).isNotEmpty();
        assertThat(new Reader(cluster).reasons("job")).isEmpty();
    }

    /** Without the right to write its digest, an instance works normally and tries again once a minute. */
    @Test
    void refusedDigestIsLoggedOnceAndRepeatedRarely(@Instances(0) TestCluster cluster) throws Exception {
        List<Instant> attempts = new ArrayList<>();
        cluster.tree().refuse(operation -> operation.path().startsWith("/health") && attempts.add(cluster.now()));
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.HealthPublisher")) {
            cluster.join();
            List<Instant> fires = new ArrayList<>();
            cluster.schedule(context -> fires.add(context.fireTime()), everySecond("job"));
            cluster.advance(Duration.ofSeconds(20));
            attempts.clear();
            cluster.advance(Duration.ofMinutes(10));

            assertThat(attempts).hasSizeBetween(1, 11);
            assertThat(log.lines("ZooKeeper rejects the health node")).hasSize(1);
            assertThat(fires).hasSizeGreaterThan(1_200);
        }
        cluster.tree().refuse(operation -> false);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(new Reader(cluster).health().incomplete()).isEmpty();
    }

    @Test
    void closedInstanceLeavesNoDigest(@Instances(2) TestCluster cluster) {
        schedule(cluster, "job");
        String leaving = cluster.instances().get(0).id();
        cluster.instances().get(0).close();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(new Reader(cluster).digests())
                .extracting(PublishedDigest::instance)
                .hasSize(1)
                .doesNotContain(leaving);
    }

    /** One read of several nodes returns at most 32 of them, so the digests need a second read. */
    @Test
    void readingManyDigestsChangesNothing(@Instances(0) TestCluster cluster) {
        for (int i = 0; i < 40; i++) {
            cluster.join();
        }
        cluster.advance(Duration.ofSeconds(10));
        Reader reader = new Reader(cluster);
        List<Instant> commits = new ArrayList<>();
        cluster.tree().onCommit(transaction -> commits.add(transaction.at()));

        assertThat(reader.digests()).hasSize(40).allMatch(each -> each.digest() != null);
        assertThat(commits).isEmpty();
        assertThat(reader.store.operations().commits()).isZero();
    }
}
