package io.ostraka.lite.scenario;

import static io.ostraka.fixtures.net.Request.Type.CONNECT;
import static io.ostraka.fixtures.net.Request.Type.CREATE;
import static io.ostraka.fixtures.net.Request.Type.DELETE;
import static io.ostraka.fixtures.net.Request.Type.SET_DATA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Request;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Breaks the connection exactly between the server's commit and its reply, or just before the request reaches the
 * server. The instance cannot distinguish the two cases, and must not guess.
 */
@Tag("cluster")
@Timeout(300)
class LostRepliesTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final AtomicInteger NAMESPACES = new AtomicInteger();
    private static final int ITEMS = 3;

    private static Server server;

    /** The message that is lost. */
    private enum Lost {
        REPLY,
        REQUEST;

        CompletableFuture<Request> on(ZooKeeperProxy proxy, Predicate<Request> which) {
            return this == REPLY ? proxy.loseReply(which) : proxy.loseRequest(which);
        }
    }

    /** The writes of an instance until a scheduled job and a triggered job have run for the first time. */
    private enum Write {
        SESSION(request -> request.has(CONNECT, "0")),
        INSTANCE_NODE(request -> request.has(CREATE, ".*/instances/.*")),
        CANDIDATE(request -> request.has(CREATE, ".*/leader/latch/.*")),
        EPOCH(request -> request.has(SET_DATA, ".*/leader/epoch")),
        DEFINITION(request -> request.has(CREATE, ".*/jobs/by-hand/config")),
        FIRST_PLAN(request -> request.has(CREATE, ".*/jobs/by-hand/sharding")),
        TRIGGER(request -> request.has(CREATE, ".*/triggers/.*")),
        CLAIM_OF_A_TRIGGER(request -> request.has(CREATE, ".*/jobs/by-hand/sharding/1/running")),
        COMPLETION_OF_A_TRIGGER(request -> request.has(DELETE, ".*/jobs/by-hand/sharding/1/running")),
        CLAIM_OF_A_FIRE(request -> request.has(CREATE, ".*/jobs/ticking/sharding/0/running")),
        COMPLETION_OF_A_FIRE(request -> request.has(DELETE, ".*/jobs/ticking/sharding/0/running"));

        final Predicate<Request> is;

        Write(Predicate<Request> is) {
            this.is = is;
        }
    }

    @BeforeAll
    static void start(@TempDir Path directory) {
        server = new Server(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String namespace() {
        return "lost-" + NAMESPACES.incrementAndGet();
    }

    private static ZooKeeperRegistry registry(String servers, String namespace) {
        return ZooKeeperRegistry.newBuilder(servers, namespace)
                .sessionTimeout(Duration.ofSeconds(20)) // longer than any loss of the connection
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private static OneOffJobBootstrap byHand(ZooKeeperRegistry registry, Runs runs) {
        return new OneOffJobBootstrap(
                registry,
                runs.recording(),
                JobConfiguration.newBuilder("by-hand", ITEMS).build());
    }

    private static void ticking(ZooKeeperRegistry registry, Runs runs) {
        new ScheduleJobBootstrap(
                        registry,
                        runs.recording(),
                        JobConfiguration.newBuilder("ticking", 2)
                                .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                                .build())
                .schedule();
    }

    static Stream<Arguments> everyLoss() {
        return Stream.of(Write.values())
                .flatMap(write -> Stream.of(Lost.values()).map(lost -> Arguments.of(lost, write)));
    }

    /** Scenario 3, for every write. Guards against a job that never runs again after one lost packet. */
    @Execution(CONCURRENT)
    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("everyLoss")
    void everyItemRunsOnceAfterAnyLostRequestOrReply(Lost lost, Write write) throws Exception {
        Runs triggered = new Runs();
        Runs scheduled = new Runs();
        String namespace = namespace();
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                Server.Bystander bystander = server.bystander(namespace)) {
            CompletableFuture<Request> happened = lost.on(proxy, write.is);
            try (ZooKeeperRegistry registry = registry(proxy.connectString(), namespace)) {
                OneOffJobBootstrap byHand = byHand(registry, triggered);
                ticking(registry, scheduled);
                JobRun first = byHand.execute();
                happened.get(LIMIT.toSeconds(), TimeUnit.SECONDS);

                assertSucceeded(first);
                assertSucceeded(byHand.execute());
                scheduled.awaitMore(6, run -> true);

                assertThat(triggered.all()).hasSize(2 * ITEMS);
                String instance = registry.instanceId().orElseThrow();
                assertThat(Stream.concat(triggered.all().stream(), scheduled.all().stream()))
                        .allMatch(run -> run.attempt() == 1 && run.instance().equals(instance));
                assertThat(bystander.paths("/instances")).containsExactly("/instances", "/instances/" + instance);
                assertThat(bystander.paths("/triggers")).containsExactly("/triggers");
                assertThat(bystander.node("/jobs/by-hand/config").orElseThrow().version())
                        .as("writes of the definition after the first")
                        .isZero();
            }
            assertThat(bystander.paths("/")).noneMatch(path -> path.endsWith("/running"));
        }
        triggered.assertNothingRanTwice();
        scheduled.assertNothingRanTwice();
    }

    private static void assertSucceeded(JobRun run) throws InterruptedException {
        assertThat(run.await(LIMIT).values()).hasSize(ITEMS).containsOnly(ItemOutcome.SUCCEEDED);
    }

    /** Scenario 2. Guards against planning that hangs after the connection broke during the commit of a plan. */
    @Execution(CONCURRENT)
    @ParameterizedTest
    @EnumSource(Lost.class)
    void planForNewInstanceConverges(Lost lost) throws Exception {
        Runs runs = new Runs();
        String namespace = namespace();
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry leader = registry(proxy.connectString(), namespace)) {
            OneOffJobBootstrap byHand = byHand(leader, runs);
            assertSucceeded(byHand.execute());
            CompletableFuture<Request> happened =
                    lost.on(proxy, request -> request.has(SET_DATA, ".*/jobs/by-hand/sharding"));
            try (ZooKeeperRegistry newcomer = registry(server.servers(), namespace)) {
                byHand(newcomer, runs);
                happened.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                Eventually.holds("the newcomer to run something", () -> {
                    run(byHand);
                    return runs.all().stream().anyMatch(ran -> newcomer.instanceId()
                            .filter(ran.instance()::equals)
                            .isPresent());
                });
            }
        }
        runs.assertNothingRanTwice();
        assertThat(runs.all()).allMatch(run -> run.attempt() == 1);
    }

    private static void run(OneOffJobBootstrap job) {
        try {
            assertSucceeded(job.execute());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static Stream<Arguments> everyLossInAChange() {
        return Stream.of("sharding", "sharding/0", "sharding/4")
                .flatMap(node -> Stream.of(Lost.values()).map(lost -> Arguments.of(lost, node)));
    }

    /**
     * Loses a message during a change of the item count. Such a change closes the plan, rewrites the records and opens
     * the plan again.
     */
    @Execution(CONCURRENT)
    @ParameterizedTest(name = "{0} of the write of {1}")
    @MethodSource("everyLossInAChange")
    void itemCountChangeCompletes(Lost lost, String node) throws Exception {
        Runs runs = new Runs();
        String namespace = namespace();
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry registry = registry(proxy.connectString(), namespace)) {
            OneOffJobBootstrap byHand = byHand(registry, runs);
            assertSucceeded(byHand.execute());
            String path = ".*/jobs/by-hand/" + node;
            CompletableFuture<Request> happened =
                    lost.on(proxy, request -> request.has(SET_DATA, path) || request.has(CREATE, path));
            try (ZooKeeperRegistry operator = registry(server.servers(), namespace)) {
                Operator.override(operator, "by-hand", "shardingTotalCount", 5);
            }
            happened.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            Eventually.holds("a run of five items", () -> {
                try {
                    return byHand.execute().await(LIMIT).size() == 5;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        runs.assertNothingRanTwice();
        assertThat(runs.all()).allMatch(run -> run.attempt() == 1);
    }

    /** The job's code learns that the outcome of saving its checkpoint is unknown. */
    @Execution(CONCURRENT)
    @ParameterizedTest
    @EnumSource(Lost.class)
    void unknownCheckpointSaveIsReportedAndCanBeRepeated(Lost lost) throws Exception {
        Runs runs = new Runs();
        AtomicInteger failures = new AtomicInteger();
        String namespace = namespace();
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry registry = registry(proxy.connectString(), namespace);
                Server.Bystander bystander = server.bystander(namespace)) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    registry,
                    runs.recording(context -> {
                        for (int position = 1; position <= 2; position++) {
                            save(context, position, failures);
                        }
                    }),
                    JobConfiguration.newBuilder("saving", 1).build());
            for (Predicate<Request> write : List.<Predicate<Request>>of(
                    request -> request.has(CREATE, ".*/checkpoint"),
                    request -> request.has(SET_DATA, ".*/checkpoint"))) {
                CompletableFuture<Request> happened = lost.on(proxy, write);
                assertThat(job.execute().await(LIMIT)).containsOnly(Map.entry("0", ItemOutcome.SUCCEEDED));
                assertThat(happened).isDone();
            }
            assertThat(bystander.text("/jobs/saving/sharding/0/checkpoint")).isEqualTo("2");
        }
        assertThat(failures).hasValueGreaterThanOrEqualTo(2);
        assertThat(runs.all()).hasSize(2).allMatch(run -> run.attempt() == 1);
    }

    private static void save(ShardingContext context, int position, AtomicInteger failures) {
        byte[] checkpoint = Integer.toString(position).getBytes(StandardCharsets.UTF_8);
        Eventually.holds("the checkpoint to be saved", () -> {
            try {
                context.saveCheckpoint(checkpoint);
                return true;
            } catch (CoordinationException e) {
                assertThat(e).hasMessageContaining("no answer");
                failures.incrementAndGet();
                return false;
            }
        });
    }
}
