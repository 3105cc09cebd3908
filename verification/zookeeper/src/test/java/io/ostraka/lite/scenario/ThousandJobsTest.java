package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Counts the cost of a thousand jobs at the server. */
@Tag("cluster")
@Timeout(300)
class ThousandJobsTest {
    private static final int JOBS = 1000;
    private static final int MOST_REQUESTS = 8;
    /** Number of threads that is stated in the documents. */
    private static final int THREADS = 11;

    @TempDir
    Path directory;

    private CountingServer server;
    private final List<ZooKeeperRegistry> registries = new ArrayList<>();
    /** Jobs whose first run has begun. This run is held, so the test counts only claims. */
    private final Set<String> claimed = ConcurrentHashMap.newKeySet();

    private volatile CountDownLatch release = new CountDownLatch(1);

    private long begun;

    @BeforeEach
    void start() throws Exception {
        begun = System.nanoTime();
        server = new CountingServer(directory);
    }

    @AfterEach
    void stop() {
        release.countDown();
        registries.forEach(ZooKeeperRegistry::close);
        server.close();
    }

    private ZooKeeperRegistry registry() {
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(server.servers(), "thousand")
                .sessionTimeout(Duration.ofSeconds(20))
                .concurrentRuns(JOBS, JOBS) // each job is held in its first run
                .connect();
        registries.add(registry);
        return registry;
    }

    /** Returns a long name: a thousand of them exceed the size up to which an instance writes them uncompressed. */
    private static String name(int job) {
        return "settle-the-orders-of-all-customers-of-the-region-with-the-number-%04d".formatted(job);
    }

    private void schedule(ZooKeeperRegistry registry, int from, int to) {
        SimpleJob held = context -> {
            claimed.add(context.jobName());
            release.await();
        };
        IntStream.range(from, to).forEach(job -> new ScheduleJobBootstrap(
                        registry,
                        held,
                        JobConfiguration.newBuilder(name(job), 1)
                                .schedule(Schedule.fixedRate(Duration.ofMillis(500)))
                                .shutdownGrace(Duration.ofMillis(1))
                                .build())
                .schedule());
    }

    private void awaitClaims(int jobs) {
        Eventually.holds("the first claim of each of " + jobs + " jobs", () -> claimed.size() == jobs);
    }

    /**
     * Checks the number of requests. On a slow machine a full resync takes place once a minute, and its requests are
     * allowed too.
     */
    private void assertRequests(int most) {
        Map<String, Long> counts = server.requests();
        long again = TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - begun) * 3 * JOBS;
        assertThat(counts.values().stream().mapToLong(Long::longValue).sum())
                .as("requests: %s", counts)
                .isBetween(most / 3L, most + again);
    }

    /** Returns the names of all threads except the given ones and the workers. */
    private static List<String> threadsBeside(Set<Thread> others) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !others.contains(thread))
                .map(Thread::getName)
                .filter(name -> !name.startsWith("ostraka-worker-")
                        && !name.startsWith("NIOWorkerThread")
                        && !name.equals("CompletableFutureDelayScheduler") // the JDK's own
                        && !name.startsWith("ForkJoinPool")) // the JDK's own
                .sorted()
                .toList();
    }

    /** Guards against a scheduler that needs four threads and two hundred requests per job. */
    @Test
    void thousandJobsCostThreeWatchesEachAndNoExtraThread() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        ZooKeeperRegistry registry = registry();
        schedule(registry, 0, 1);
        awaitClaims(1);
        List<String> threadsOfOne = threadsBeside(others);
        assertThat(threadsOfOne).hasSize(THREADS);
        server.reset();

        schedule(registry, 1, JOBS);
        awaitClaims(JOBS);

        assertRequests((JOBS - 1) * MOST_REQUESTS);
        assertThat(threadsBeside(others)).as("while a thousand jobs run").isEqualTo(threadsOfOne);
        assertThat(server.children("/thousand/instances")).hasSize(1);
        assertThat(server.children("/thousand/leader/latch")).hasSize(1);
        Set<String> watches = new TreeSet<>(Set.of(
                "/thousand/triggers",
                "/thousand/stops",
                "/thousand/orders",
                "/thousand/delayed",
                "/thousand/backfills",
                "/thousand/instances"));
        for (int job = 0; job < JOBS; job++) {
            for (String node : List.of("sharding", "config", "override")) {
                watches.add("/thousand/jobs/" + name(job) + "/" + node);
            }
        }
        assertThat(server.watched()).hasSize(1);
        Set<String> seen = new TreeSet<>(server.watched().get(0));
        seen.remove("/thousand/health"); // watched from ten seconds after the beginning of the term
        assertThat(seen).isEqualTo(watches);

        release.countDown();
        assertThat(threadsBeside(others)).as("while a thousand jobs end").isEqualTo(threadsOfOne);
    }

    /** Guards against deployments that take minutes because every job is set up anew. */
    @Test
    void restartOfThousandJobsCostsFewRequestsAndWatches() {
        schedule(registry(), 0, JOBS);
        awaitClaims(JOBS);
        release.countDown();
        registries.remove(0).close();
        claimed.clear();
        release = new CountDownLatch(1);
        server.reset();

        schedule(registry(), 0, JOBS);
        awaitClaims(JOBS);

        assertRequests(JOBS * MOST_REQUESTS);

        schedule(registry(), 0, JOBS);
        Set<String> follower = new TreeSet<>(Set.of("/thousand/triggers", "/thousand/stops", "/thousand/orders"));
        IntStream.range(0, JOBS).forEach(job -> follower.add("/thousand/jobs/" + name(job) + "/sharding"));
        Eventually.holds(
                "the follower's watches", () -> server.watched().stream().anyMatch(watched -> {
                    Set<String> own = new TreeSet<>(watched);
                    // the follower also watches its predecessor in the election
                    own.removeIf(path -> path.startsWith("/thousand/leader/latch/"));
                    return own.equals(follower);
                }));
    }

    /**
     * Guards against a flood of requests after a short disconnection, because the flood may cause the next
     * disconnection.
     */
    @Test
    void reconnectionSetsNoWatchAgainAndGroupsReads() {
        schedule(registry(), 0, JOBS);
        awaitClaims(JOBS);
        server.reset();

        server.cutConnections();
        claimed.clear();
        CountDownLatch before = release;
        release = new CountDownLatch(1);
        before.countDown();
        awaitClaims(JOBS);

        Map<String, Long> counts = server.requests();
        assertThat(counts.get("addWatch") + counts.getOrDefault("removeWatches", 0L))
                .as("requests: %s", counts)
                .isLessThan(10);
        assertThat(counts.get("read") + counts.get("sync") + counts.get("children"))
                .as("requests: %s", counts)
                .isBetween(1L, (long) JOBS);
    }

    /** Scenario 22. Guards against a cold start of many instances with many jobs that overloads ZooKeeper. */
    @Test
    void coldStartOfFiveInstancesCostsBoundedRequestsPerJob() {
        int jobs = 200;
        int instances = 5;
        for (int i = 0; i < instances; i++) {
            schedule(registry(), 0, jobs);
        }
        awaitClaims(jobs);

        assertRequests(jobs * instances * 5);
    }
}
