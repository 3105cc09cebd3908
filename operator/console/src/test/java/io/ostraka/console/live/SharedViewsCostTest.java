package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Counts the requests to ZooKeeper of clients that poll all views, with a cluster in memory. */
class SharedViewsCostTest {
    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
    private static final String ROOT = "/api/v1/namespaces/prod";

    /** Every view, with the query of a client that displays two jobs. */
    private static final Map<String, String> VIEWS = Map.ofEntries(
            Map.entry("", ""),
            Map.entry("/jobs", ""),
            Map.entry("/activity", "job=a&job=b"),
            Map.entry("/jobs/a", ""),
            Map.entry("/jobs/a/items", ""),
            Map.entry("/jobs/a/items/0/explanation", ""),
            Map.entry("/backfills", ""),
            Map.entry("/alarms", ""),
            Map.entry("/instances", ""),
            Map.entry("/jobs/a/next-fires", ""),
            Map.entry("/forecast", "from=2026-03-01T00:00:00Z"),
            Map.entry("/settings", ""));

    private final Caller caller = new Caller() {
        @Override
        public String name() {
            return "ann";
        }

        @Override
        public String origin() {
            return "test";
        }

        @Override
        public boolean has(Role role, String namespace, @Nullable String job) {
            return true;
        }

        @Override
        public boolean sees(String namespace) {
            return true;
        }
    };

    @Tag("slow")
    @Test
    void tenClientsThatPollAllViewsCostWhatOneCosts() {
        long ofOne = requests(1);
        assertThat(ofOne).isPositive();
        assertThat(requests(10)).isEqualTo(ofOne);
    }

    /** Returns the number of requests of an observer while clients poll all views for 15 seconds. */
    private long requests(int clients) {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            for (String job : List.of("a", "b", "c")) {
                cluster.schedule(
                        context -> {},
                        JobConfiguration.newBuilder(job, 4)
                                .schedule(Schedule.cron("0 * * * * ?"))
                                .build());
            }
            InMemoryNodeStore store = cluster.tree()
                    .connect(
                            "observer",
                            cluster.time().executor(),
                            cluster.time().executor(),
                            Duration.ofSeconds(15));
            Platform platform = cluster.time().platform(Duration.ZERO);
            Api api = api(new SharedViews(observer(store, platform, cluster), platform.clock()));
            cluster.advance(Duration.ofMinutes(2));
            poll(api, 1);
            long before = requests(store);
            for (int second = 0; second < 15; second++) {
                cluster.advance(Duration.ofSeconds(1));
                poll(api, clients);
            }
            return requests(store) - before;
        }
    }

    private void poll(Api api, int clients) {
        for (int client = 0; client < clients; client++) {
            VIEWS.forEach((path, query) -> assertThat(api.handle(LiveClient.get(ROOT + path, query, Map.of()), caller)
                            .status())
                    .as(path)
                    .isEqualTo(200));
        }
    }

    private static Operations observer(InMemoryNodeStore store, Platform platform, TestCluster cluster) {
        TreeCoordination coordination = new TreeCoordination(store, platform.clock());
        Observer observer = new Observer(cluster.time().executor());
        coordination.start(observer);
        return new NamespaceOperations(
                observer.port(coordination, platform.clock()),
                new Answers(platform.waiting(), Duration.ofSeconds(20), "the test", () -> ""));
    }

    private static Api api(SharedViews views) {
        return new Api(
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

    private static long requests(InMemoryNodeStore store) {
        InMemoryNodeStore.Operations count = store.operations();
        return count.reads() + count.children() + count.commits();
    }
}
