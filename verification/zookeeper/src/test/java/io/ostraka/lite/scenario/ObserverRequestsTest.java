package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts an observer's requests at the server. The application is closed by then, so all requests come from the
 * observer.
 */
@Tag("cluster")
@Timeout(300)
class ObserverRequestsTest {
    private static final SimpleJob NOTHING = context -> {};
    private static final int JOBS = 1000;
    private static final long MOST_FOR_LIST = 70;
    private static final long MOST_FOR_JOB = 40;

    @TempDir
    Path directory;

    private static void register(CountingServer server, int jobs, int items) {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(server.servers(), "observed")) {
            List<CompletableFuture<Void>> scheduled = new ArrayList<>();
            for (int i = 0; i < jobs; i++) {
                JobConfiguration job = JobConfiguration.newBuilder("job-%04d".formatted(i), items)
                        .schedule(Schedule.cron("0 0 3 1 1 ? 2099"))
                        .build();
                scheduled.add(registry.schedule(NOTHING, job).scheduled().toCompletableFuture());
            }
            CompletableFuture.allOf(scheduled.toArray(CompletableFuture[]::new)).join();
            Eventually.holds(
                    "the plan of all items",
                    () -> registry.operations().items("job-0000", Set.of()).size() == items);
        }
    }

    private static long total(CountingServer server) {
        return server.requests().values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void observerThatIsNotAskedSendsOnlyHeartbeats() throws Exception {
        try (CountingServer server = new CountingServer(directory)) {
            register(server, 1, 1);
            try (ZooKeeperOperations observer = ZooKeeperOperations.connect(server.servers(), "observed")) {
                observer.operations().namespace(); // waits until the observer is connected
                server.reset();
                server.cutConnections();
                Attempts.succeeds(() -> observer.operations().nextFires("job-0000", 1)); // awaits the reconnection
                Map<String, Long> requests = new TreeMap<>(server.requests());
                requests.values().removeIf(count -> count == 0);

                // the question reads the job's state and the orders; the client lists the stops once after a
                // reconnection
                assertThat(requests).isEqualTo(Map.of("read", 2L, "children", 1L));
                assertThat(server.watched())
                        .allSatisfy(watched -> assertThat(watched).isEmpty());
                assertThat(server.children("/observed/instances")).isEmpty();
                assertThat(server.children("/observed/leader/latch")).isEmpty();
            }
        }
    }

    @Test
    void listOfThousandJobsCostsAtMostSeventyRequestsForTenCallers() throws Exception {
        try (CountingServer server = new CountingServer(directory)) {
            register(server, JOBS, 1);
            try (ZooKeeperOperations observer = ZooKeeperOperations.connect(server.servers(), "observed")) {
                observer.operations().explain("job-0000", "0"); // waits until the observer is connected
                server.reset();
                Operations operations = observer.operations();
                List<CompletableFuture<Integer>> callers = IntStream.range(0, 10)
                        .mapToObj(caller -> CompletableFuture.supplyAsync(
                                () -> operations.jobs().size(), task -> new Thread(task).start()))
                        .toList();
                callers.forEach(caller -> assertThat(caller.join()).isEqualTo(JOBS));

                assertThat(total(server)).as("requests: %s", server.requests()).isBetween(1L, MOST_FOR_LIST);
            }
        }
    }

    @Test
    void jobOfThousandItemsCostsAtMostFortyRequests() throws Exception {
        try (CountingServer server = new CountingServer(directory)) {
            register(server, 1, 1000);
            try (ZooKeeperOperations observer = ZooKeeperOperations.connect(server.servers(), "observed")) {
                observer.operations().explain("job-0000", "0"); // waits until the observer is connected
                server.reset();

                List<ItemDetails> items = observer.operations().items("job-0000", Set.of());
                long ofItems = total(server);
                server.reset();
                observer.operations().job("job-0000");

                assertThat(items).hasSize(1000);
                assertThat(ofItems).isBetween(1L, MOST_FOR_JOB);
                assertThat(total(server)).as("requests: %s", server.requests()).isBetween(1L, MOST_FOR_JOB);
            }
        }
    }

    @Test
    void wrongNamespaceIsNamedAndNotCreated() throws Exception {
        try (CountingServer server = new CountingServer(directory);
                ZooKeeperOperations observer = ZooKeeperOperations.newBuilder(server.servers())
                        .operationTimeout(Duration.ofMillis(200))
                        .connect("mistyped")) {
            Eventually.holds("the reason", () -> String.valueOf(
                            Attempts.failure(() -> observer.operations().jobs()))
                    .contains("there is no namespace /mistyped"));
            assertThat(server.children("/")).doesNotContain("mistyped");
        }
    }
}
