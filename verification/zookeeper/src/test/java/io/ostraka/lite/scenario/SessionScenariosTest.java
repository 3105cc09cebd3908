package io.ostraka.lite.scenario;

import static io.ostraka.fixtures.net.Request.Type.CONNECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.Request;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("cluster")
@Timeout(300)
class SessionScenariosTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration SHORT_SESSION = Duration.ofSeconds(10);
    /** Session timeout of instances that must remain connected, even on a slow machine. */
    private static final Duration LONG_SESSION = Duration.ofSeconds(20);

    private static final AtomicInteger NAMESPACES = new AtomicInteger();
    private static final String JOB = "by-hand";

    private static Server server;

    private final Runs runs = new Runs();
    private final String namespace = "sessions-" + NAMESPACES.incrementAndGet();

    @BeforeAll
    static void start(@TempDir Path directory) {
        server = new Server(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private ZooKeeperRegistry registry(String servers, Duration sessionTimeout) {
        return ZooKeeperRegistry.newBuilder(servers, namespace)
                .sessionTimeout(sessionTimeout)
                .connectionTimeout(Duration.ofSeconds(1))
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private static String idOf(ZooKeeperRegistry registry) {
        Eventually.holds("a session", () -> registry.instanceId().isPresent());
        return registry.instanceId().orElseThrow();
    }

    private static JobConfiguration twoItems(SessionLossPolicy policy) {
        return JobConfiguration.newBuilder(JOB, 2).sessionLoss(policy).build();
    }

    /** Triggers the job until each instance has run, and so owns, one item. */
    private void awaitBothRun(OneOffJobBootstrap job, String one, String two) throws InterruptedException {
        Eventually.holds("an item on each instance", () -> {
            List<String> ran = lastTwo(job);
            return ran.contains(one) && ran.contains(two);
        });
    }

    /** Triggers the job once, and returns the instances that ran it. */
    private List<String> lastTwo(OneOffJobBootstrap job) {
        JobRun run = job.execute();
        try {
            assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return runs.all().stream()
                .filter(ran -> ran.fire().equals(run.runId()))
                .map(Runs.Ran::instance)
                .toList();
    }

    /** A way to cut off an instance. */
    private enum Partition {
        RESET(ZooKeeperProxy::cut),
        NOTHING_TO_THE_SERVER(proxy -> proxy.hold(Direction.TO_SERVER)),
        NOTHING_TO_THE_CLIENT(proxy -> proxy.hold(Direction.TO_CLIENT)),
        NOTHING_EITHER_WAY(proxy -> {
            proxy.hold(Direction.TO_SERVER);
            proxy.hold(Direction.TO_CLIENT);
        });

        final Consumer<ZooKeeperProxy> begin;

        Partition(Consumer<ZooKeeperProxy> begin) {
            this.begin = begin;
        }
    }

    /** Scenario 6. Guards against a partitioned instance that continues to write while its successor writes too. */
    @Execution(CONCURRENT)
    @ParameterizedTest
    @EnumSource(Partition.class)
    void ownerCutOffInMidRunIsInterruptedReplacedAndFenced(Partition partition) throws Exception {
        Map<Integer, FencedStore> stores = Map.of(0, new FencedStore(), 1, new FencedStore());
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch takenOver = new CountDownLatch(1);
        CompletableFuture<Throwable> ownershipError = new CompletableFuture<>();
        CompletableFuture<Boolean> lateWrite = new CompletableFuture<>();
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry owner = registry(proxy.connectString(), SHORT_SESSION);
                ZooKeeperRegistry other = registry(server.servers(), LONG_SESSION)) {
            String ownerId = idOf(owner);
            Consumer<ShardingContext> work = context -> {
                FencedStore store = stores.get(context.shardingItem());
                assertThat(store.write(context.fencingToken())).isTrue();
                if (context.attempt() > 1) {
                    takenOver.countDown();
                } else if (context.triggerParameters().containsKey("hold")
                        && context.instanceId().equals(ownerId)) {
                    held.countDown();
                    ownershipError.complete(checkAfterInterruption(context));
                    awaitUninterruptibly(takenOver);
                    lateWrite.complete(store.write(context.fencingToken()));
                }
            };
            new OneOffJobBootstrap(owner, runs.recording(work::accept), twoItems(SessionLossPolicy.INTERRUPT));
            OneOffJobBootstrap job =
                    new OneOffJobBootstrap(other, runs.recording(work::accept), twoItems(SessionLossPolicy.INTERRUPT));
            awaitBothRun(job, ownerId, idOf(other));

            JobRun run = job.execute(Map.of("hold", "yes"));
            assertThat(held.await(90, TimeUnit.SECONDS)).isTrue();
            partition.begin.accept(proxy);

            assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
            assertThat(ownershipError.get(90, TimeUnit.SECONDS)).isInstanceOf(OwnershipLostException.class);
            assertThat(lateWrite.get(90, TimeUnit.SECONDS))
                    .as("late write accepted")
                    .isFalse();
            List<Runs.Ran> ran = runs.all().stream()
                    .filter(one -> one.fire().equals(run.runId()))
                    .toList();
            assertThat(ran).hasSize(3);
            assertThat(ran.stream().filter(one -> one.attempt() == 2))
                    .singleElement()
                    .matches(again -> again.instance().equals(idOf(other)));

            proxy.heal();
            Eventually.holds("the cut-off instance to run again", () -> {
                String next = owner.instanceId().orElseThrow();
                return !next.equals(ownerId) && lastTwo(job).contains(next);
            });
        }
    }

    /** Waits for the interruption, and returns the result of an ownership check after it. */
    private static Throwable checkAfterInterruption(ShardingContext context) {
        awaitInterruption();
        try {
            context.checkOwnership();
            return new AssertionError("interrupted, but still the owner");
        } catch (OwnershipLostException e) {
            return e;
        }
    }

    private static void awaitInterruption() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            // as expected
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean released = false;
        while (!released) {
            try {
                released = latch.await(90, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                // continues, like code that is slow to return
            }
        }
    }

    /** Guards against an instance that stays alive after a long pause but never runs its jobs again. */
    @Execution(CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void expiredSessionIsReplacedAndInterruptedItemRunsAgain(boolean whileSuspended) throws Exception {
        Runs ticks = new Runs();
        CountDownLatch held = new CountDownLatch(1);
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry registry = registry(proxy.connectString(), LONG_SESSION)) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    registry,
                    runs.recording(context -> {
                        if (context.attempt() == 1) {
                            held.countDown();
                            awaitInterruption();
                        }
                    }),
                    JobConfiguration.newBuilder(JOB, 1).build());
            ScheduleJobBootstrap ticking = new ScheduleJobBootstrap(
                    registry,
                    ticks.recording(),
                    JobConfiguration.newBuilder("ticking", 2)
                            .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                            .build());
            ticking.schedule();
            JobRun run = job.execute();
            assertThat(held.await(90, TimeUnit.SECONDS)).isTrue();
            ticks.awaitMore(2, tick -> true);
            String before = idOf(registry);
            if (whileSuspended) {
                proxy.cut();
            }
            proxy.session().end();
            proxy.heal();

            assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
            ticks.awaitMore(6, tick -> !tick.instance().equals(before));
            assertThat(runs.all()).extracting(Runs.Ran::attempt).containsExactly(1, 2);
        }
        assertThat(ticks.all().stream()
                        .map(tick -> tick.fire() + " item " + tick.item() + " attempt " + tick.attempt())
                        .toList())
                .doesNotHaveDuplicates();
    }

    /** Scenario 11. Guards against a live instance that loses its node when the server expires its old session. */
    @Execution(CONCURRENT)
    @Test
    void abandonedSessionKeptByServerCostsNothing() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                SingleEngine owner = engine(proxy.connectString(), SHORT_SESSION);
                SingleEngine other = engine(server.servers(), LONG_SESSION);
                Server.Bystander bystander = server.bystander(namespace)) {
            owner.start();
            Eventually.holds("the owner to lead", () -> owner.engine().leading());
            other.start();
            String first = owner.engine().instanceId().orElseThrow();
            for (SingleEngine engine : List.of(owner, other)) {
                engine.engine()
                        .register(
                                runs.recording(context -> {
                                    if (context.triggerParameters().containsKey("hold")
                                            && context.instanceId().equals(first)) {
                                        held.countDown();
                                        awaitUninterruptibly(released);
                                    }
                                }),
                                twoItems(SessionLossPolicy.KEEP_RUNNING));
            }
            Eventually.holds(
                    "an item on each instance", () -> instancesOfOneRun(other).size() == 2);

            JobRun run = other.engine().trigger(JOB, Map.of("hold", "yes"), java.util.Set.of());
            assertThat(held.await(90, TimeUnit.SECONDS)).isTrue();
            String keptId = Long.toHexString(proxy.session().id());
            try (AutoCloseable kept = proxy.session().keep()) {
                // all attempts of the client to end the session are lost
                for (int attempt = 0; attempt < 100; attempt++) {
                    proxy.loseRequest(request -> request.has(CONNECT, keptId));
                }
                CompletableFuture<Request> givenUp = proxy.loseRequest(request -> request.has(CONNECT, "0"));
                proxy.hold(Direction.TO_CLIENT);
                proxy.reset();
                givenUp.get(90, TimeUnit.SECONDS);
                proxy.heal();
                Eventually.holds(
                        "the owner to be registered again",
                        () -> !owner.engine().instanceId().orElseThrow().equals(first)
                                && bystander.paths("/instances").size() == 4);
                released.countDown();

                assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
                assertThat(bystander.node("/instances/" + first)).isPresent();
                assertThat(other.engine().leading() && owner.engine().leading())
                        .as("both lead")
                        .isFalse();
            }
            Eventually.holds(
                    "one of them to lead",
                    () -> other.engine().leading() ^ owner.engine().leading());
            String second = owner.engine().instanceId().orElseThrow();
            Eventually.holds("an item on each instance again", () -> instancesOfOneRun(other)
                    .containsAll(List.of(second, other.engine().instanceId().orElseThrow())));
            assertThat(bystander.paths("/instances")).hasSize(3);
        }
        assertThat(runs.all()).allMatch(run -> run.attempt() == 1);
        runs.assertNothingRanTwice();
    }

    private SingleEngine engine(String servers, Duration sessionTimeout) {
        return new SingleEngine(Server.store(servers, namespace, sessionTimeout), Duration.ZERO, Duration.ofSeconds(1));
    }

    private List<String> instancesOfOneRun(SingleEngine by) {
        JobRun run = by.engine().trigger(JOB, Map.of(), java.util.Set.of());
        try {
            run.await(LIMIT);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return runs.all().stream()
                .filter(ran -> ran.fire().equals(run.runId()))
                .map(Runs.Ran::instance)
                .distinct()
                .toList();
    }

    /** Guards against jobs that are not planned again after an operator deleted the leader's candidate node. */
    @Execution(CONCURRENT)
    @Test
    void leaderLeadsAgainAfterItsCandidateNodeIsDeleted() throws Exception {
        try (ZooKeeperRegistry registry = registry(server.servers(), LONG_SESSION);
                Server.Bystander bystander = server.bystander(namespace)) {
            OneOffJobBootstrap job =
                    new OneOffJobBootstrap(registry, runs.recording(), twoItems(SessionLossPolicy.INTERRUPT));
            assertThat(lastTwo(job)).hasSize(2);
            for (String candidate : bystander.paths("/leader/latch").tailSet("/leader/latch/")) {
                bystander.delete(candidate);
            }

            Operator.override(registry, JOB, "shardingTotalCount", 3);

            Eventually.holds("a run of three items", () -> lastTwo(job).size() == 3);
        }
    }

    /** One instance runs in a distant data centre. */
    @Execution(CONCURRENT)
    @Test
    void slowConnectionCostsOnlyTime() throws Exception {
        try (ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry far = registry(proxy.connectString(), LONG_SESSION);
                ZooKeeperRegistry near = registry(server.servers(), LONG_SESSION)) {
            proxy.delay(Direction.TO_SERVER, Duration.ofMillis(40));
            proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(40));
            JobConfiguration job = JobConfiguration.newBuilder("slow", 4)
                    .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                    .build();
            new ScheduleJobBootstrap(far, runs.recording(), job).schedule();
            new ScheduleJobBootstrap(near, runs.recording(), job).schedule();
            String farId = idOf(far);
            String nearId = idOf(near);
            runs.awaitMore(10, run -> run.instance().equals(farId));
            runs.awaitMore(10, run -> run.instance().equals(nearId));
            assertThat(far.instanceId()).contains(farId);
        }
        runs.assertNothingRanTwice();
    }
}
