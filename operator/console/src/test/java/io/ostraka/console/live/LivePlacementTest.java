package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Namespaces;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.Observer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.operations.NamespaceOperations;
import io.ostraka.testkit.InMemoryNodeStore;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Kills an instance of a cluster in memory, and follows the clients of live events in virtual time: from the end of the
 * instance's node to the event and to the next list.
 */
class LivePlacementTest {
    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
    private static final Duration STEP = Duration.ofMillis(100);
    /** Longest time from the end of a node to its event. */
    private static final Duration SHOWN = Duration.ofSeconds(2);

    @Test
    void killedInstanceIsShownWithinTwoSecondsAfterItsNodeHasGone() {
        long ofOne = requests(1);
        assertThat(ofOne).isPositive();
        assertThat(requests(10)).as("requests of ten clients").isEqualTo(ofOne);
    }

    /** Runs the scenario with a number of clients, and returns the number of requests to ZooKeeper. */
    private long requests(int number) {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("settle", 6)
                            .schedule(Schedule.cron("0 0 * * * ?"))
                            .build());
            cluster.advance(Duration.ofMinutes(1));
            return new Scenario(cluster).run(number);
        }
    }

    private static final class Scenario {
        private final VirtualTimer timer = new VirtualTimer();
        private final TestCluster cluster;
        private final InMemoryNodeStore store;
        private final TreeCoordination coordination;
        private final LiveFeeds feeds;
        private final Api api;

        Scenario(TestCluster cluster) {
            this.cluster = cluster;
            store = cluster.tree()
                    .connect(
                            "observer",
                            cluster.time().executor(),
                            cluster.time().executor(),
                            TestCluster.SESSION_TIMEOUT);
            Platform platform = cluster.time().platform(Duration.ZERO);
            coordination = new TreeCoordination(store, platform.clock());
            Observer observer = new Observer(cluster.time().executor());
            coordination.start(observer);
            SharedViews views = new SharedViews(
                    new NamespaceOperations(
                            observer.port(coordination, platform.clock()),
                            new Answers(platform.waiting(), Duration.ofSeconds(20), "the test", () -> "")),
                    timer);
            feeds = new LiveFeeds(name -> Optional.of(views), timer, timer, timer, () -> "e");
            api = new Api(
                    new Namespaces() {
                        @Override
                        public List<String> names() {
                            return List.of("prod");
                        }

                        @Override
                        public Optional<Operations> operations(String namespace) {
                            return Optional.of(views);
                        }
                    },
                    false);
        }

        long run(int number) {
            List<LiveClient> clients = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                clients.add(new LiveClient(api, feeds, TestCaller.ofAllJobs("user-" + i), "settle").connect());
            }
            step();
            TestCluster.Instance killed = cluster.instances().stream()
                    .filter(each -> !each.id().equals(cluster.leader().id()))
                    .findAny()
                    .orElseThrow();
            killed.kill();
            while (registered(killed.id())) {
                step();
                clients.forEach(LiveClient::drain);
            }
            clients.forEach(each -> assertThat(each.types()).doesNotContain("instance-removed"));
            long before = requests();
            for (Duration passed = Duration.ZERO; passed.compareTo(SHOWN) < 0; passed = passed.plus(STEP)) {
                step();
            }
            for (LiveClient each : clients) {
                assertThat(each.drain().types()).contains("instance-removed", "namespace", "job");
                assertThat(each.copy()).as("copy of the map").isEqualTo(each.read());
                assertThat(each.copy().get("instances")).hasSize(2).doesNotContainKey(killed.id());
                assertThat(each.copy().get("jobs").get("settle").toString())
                        .as("owners of the job")
                        .doesNotContain(killed.id());
            }
            assertThat(api.handle(
                                    LiveClient.get("/api/v1/namespaces/prod/instances", "", Map.of()),
                                    TestCaller.ofAllJobs("other"))
                            .text())
                    .as("the next list")
                    .doesNotContain(killed.id());
            return requests() - before;
        }

        private void step() {
            cluster.advance(STEP);
            timer.advance(STEP);
        }

        private boolean registered(String id) {
            CompletableFuture<Boolean> answer =
                    coordination.membership().registered(id).toCompletableFuture();
            cluster.time().runUntilIdle();
            return answer.join();
        }

        private long requests() {
            InMemoryNodeStore.Operations count = store.operations();
            return count.reads() + count.children() + count.commits();
        }
    }
}
