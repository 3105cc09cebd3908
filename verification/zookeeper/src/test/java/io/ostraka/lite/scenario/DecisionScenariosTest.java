package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("cluster")
@Timeout(300)
@ExpectedErrors("job 'fickle' is limited")
class DecisionScenariosTest {
    @TempDir
    Path directory;

    /** Scenario 23: instances are deployed while the clocks of the machines drift apart. */
    @Execution(CONCURRENT)
    @Test
    void differingClocksRunNoFireTwiceDuringMembershipChanges() throws Exception {
        Runs runs = new Runs();
        JobConfiguration job = JobConfiguration.newBuilder("skewed", 6)
                .schedule(Schedule.fixedRate(Duration.ofMillis(300)))
                .build();
        try (Server server = new Server(directory);
                SingleEngine right = engine(server, Duration.ZERO);
                SingleEngine ahead = engine(server, Duration.ofSeconds(3))) {
            right.engine().register(runs.recording(), job);
            ahead.engine().register(runs.recording(), job);
            for (int i = 0; i < 4; i++) {
                // an item may move to an owner whose clock is behind; it then waits for the difference
                try (SingleEngine newcomer = engine(server, Duration.ofSeconds(i % 2 == 0 ? -2 : 1))) {
                    newcomer.engine().register(runs.recording(), job);
                    runs.await("the newcomer to run", all -> all.stream().anyMatch(by(newcomer)));
                    runs.awaitMore(2, by(newcomer));
                }
                runs.awaitMore(6, by(right));
                runs.awaitMore(6, by(ahead));
            }
        }
        runs.assertNothingRanTwice();
    }

    private static SingleEngine engine(Server server, Duration skew) {
        SingleEngine engine =
                new SingleEngine(server.store("skewed", Duration.ofSeconds(30)), skew, Duration.ofSeconds(1));
        engine.start();
        return engine;
    }

    private static Predicate<Runs.Ran> by(SingleEngine engine) {
        return run ->
                engine.engine().instanceId().filter(run.instance()::equals).isPresent();
    }

    private static final class Fickle implements JobShardingStrategy {
        volatile Function<Request, Map<String, List<String>>> behaviour = Fickle::good;
        final AtomicInteger calls = new AtomicInteger();

        @Override
        public String type() {
            return "FICKLE";
        }

        @Override
        public Map<String, List<String>> shard(Request request) {
            calls.incrementAndGet();
            return behaviour.apply(request);
        }

        /** Assigns the items to all instances in turn. */
        static Map<String, List<String>> good(Request request) {
            Map<String, List<String>> answer = new HashMap<>();
            for (int i = 0; i < request.items().size(); i++) {
                String id =
                        request.instances().get(i % request.instances().size()).id();
                answer.computeIfAbsent(id, key -> new java.util.ArrayList<>())
                        .add(request.items().get(i));
            }
            return answer;
        }
    }

    static Stream<Arguments> badBehaviours() {
        return Stream.of(
                Arguments.of("throws", (Function<JobShardingStrategy.Request, Map<String, List<String>>>) request -> {
                    throw new IllegalStateException("on purpose");
                }),
                Arguments.of("places an item twice", (Function<JobShardingStrategy.Request, Map<String, List<String>>>)
                        request -> Map.of(request.instances().get(0).id(), List.of("0", "0", "1", "2"))),
                Arguments.of("forgets an item", (Function<JobShardingStrategy.Request, Map<String, List<String>>>)
                        request -> Map.of(request.instances().get(0).id(), List.of("0", "1"))));
    }

    /** Scenario 24. Guards against a job that loses all its owners to an exception in its strategy. */
    @Execution(CONCURRENT)
    @ParameterizedTest(name = "{0}")
    @MethodSource("badBehaviours")
    void badStrategyAffectsNeitherPlanInForceNorOtherJobs(
            String description, Function<JobShardingStrategy.Request, Map<String, List<String>>> behaviour)
            throws Exception {
        Runs fickleRuns = new Runs();
        Runs steadyRuns = new Runs();
        Fickle strategy = new Fickle();
        try (Server server = new Server(directory);
                Server.Bystander bystander = server.bystander("strategy");
                ZooKeeperRegistry first = registry(server, strategy)) {
            schedule(first, fickleRuns, steadyRuns);
            fickleRuns.awaitMore(6, run -> true);
            String plan = bystander.text("/jobs/fickle/sharding");
            strategy.behaviour = behaviour;
            int calls = strategy.calls.get();
            try (ZooKeeperRegistry second = registry(server, strategy)) {
                schedule(second, fickleRuns, steadyRuns);
                String newcomer = awaitId(second);
                steadyRuns.await("the newcomer to get items of the other job", all -> all.stream()
                        .anyMatch(run -> run.instance().equals(newcomer)));
                Eventually.holds("a call of the strategy", () -> strategy.calls.get() > calls);
                fickleRuns.awaitMore(6, run -> true);
                assertThat(bystander.text("/jobs/fickle/sharding")).isEqualTo(plan);
                strategy.behaviour = Fickle::good;
                fickleRuns.await("the newcomer to get items", all -> all.stream()
                        .anyMatch(run -> run.instance().equals(newcomer)));
            }
        }
        fickleRuns.assertNothingRanTwice();
        steadyRuns.assertNothingRanTwice();
    }

    /** A new strategy is deployed while an instance of the old version leads. */
    @Execution(CONCURRENT)
    @Test
    void leaderWithoutStrategyHandsOverToInstanceThatHasIt() throws Exception {
        Runs runs = new Runs();
        Fickle strategy = new Fickle();
        JobConfiguration job = JobConfiguration.newBuilder("fickle", 3)
                .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                .shardingStrategy("FICKLE")
                .build();
        try (Server server = new Server(directory);
                ZooKeeperRegistry without = ZooKeeperRegistry.newBuilder(server.servers(), "strategy")
                        .sessionTimeout(Duration.ofSeconds(30))
                        .connect()) {
            new ScheduleJobBootstrap(without, runs.recording(), job).schedule();
            runs.awaitMore(3, run -> true); // under the default strategy, because no plan exists yet
            try (ZooKeeperRegistry with = registry(server, strategy)) {
                new ScheduleJobBootstrap(with, runs.recording(), job).schedule();
                String newcomer = awaitId(with);
                runs.await("the newcomer to get items", all -> all.stream()
                        .anyMatch(run -> run.instance().equals(newcomer)));
                assertThat(strategy.calls).hasPositiveValue();
            }
        }
        runs.assertNothingRanTwice();
    }

    private static String awaitId(ZooKeeperRegistry registry) {
        Eventually.holds("a session", () -> registry.instanceId().isPresent());
        return registry.instanceId().orElseThrow();
    }

    private static ZooKeeperRegistry registry(Server server, JobShardingStrategy strategy) {
        return ZooKeeperRegistry.newBuilder(server.servers(), "strategy")
                .sessionTimeout(Duration.ofSeconds(30))
                .shardingStrategy(strategy)
                .connect();
    }

    private static void schedule(ZooKeeperRegistry registry, Runs fickle, Runs steady) {
        Schedule often = Schedule.fixedRate(Duration.ofMillis(200));
        new ScheduleJobBootstrap(
                        registry,
                        fickle.recording(),
                        JobConfiguration.newBuilder("fickle", 3)
                                .schedule(often)
                                .shardingStrategy("FICKLE")
                                .build())
                .schedule();
        new ScheduleJobBootstrap(
                        registry,
                        steady.recording(),
                        JobConfiguration.newBuilder("steady", 4).schedule(often).build())
                .schedule();
    }
}
