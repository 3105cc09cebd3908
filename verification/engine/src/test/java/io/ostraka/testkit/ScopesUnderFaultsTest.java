package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Instances join, leave, die, and lose sessions, replies and requests in random order, while triggers arrive. Once the
 * faults have stopped, every started run must end, and no node of a departed instance may remain.
 */
class ScopesUnderFaultsTest {
    private static final int SEEDS = 8;
    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final List<String> ZONES = List.of("north", "south", "");

    private final Map<String, Long> tokens = new HashMap<>();
    private final Set<String> completed = new HashSet<>();
    private final Set<String> running = new HashSet<>();
    /** Violations found in user code, where a failed assertion would only fail the run. */
    private final List<String> violations = new ArrayList<>();

    /** Random scenario of one seed; a failure names the seed. */
    private final class Scenario {
        final Scope scope;
        final Random random;
        final TestCluster cluster;
        final TestCluster.Instance steady;
        final List<JobRun> triggered = new ArrayList<>();
        boolean quiet;

        Scenario(Scope scope, long seed) {
            this.scope = scope;
            random = new Random(seed * 31 + scope.ordinal());
            cluster = new TestCluster(0, Instant.parse("2026-01-01T00:00:00Z"), seed);
            steady = cluster.joinIn("north");
            cluster.joinIn("south");
            cluster.schedule(
                    this::run,
                    JobConfiguration.newBuilder("job", 1)
                            .scope(scope)
                            .maxAttempts(100)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build());
        }

        void run(ShardingContext context) {
            String item = context.itemKey();
            Long before = tokens.put(item, context.fencingToken());
            if (before != null && before >= context.fencingToken()) {
                violations.add("token " + context.fencingToken() + " of " + item + " after " + before);
            }
            if (completed.contains(context.runId() + " of " + item)) {
                violations.add(context.runId() + " of " + item + " had ended");
            }
            if (!quiet && random.nextInt(3) == 0) {
                if (random.nextInt(4) == 0) {
                    context.progress(1, 2, "half");
                }
                if (!running.add(context.instanceId() + " " + item)) {
                    violations.add(item + " twice at a time in " + context.instanceId());
                }
                cluster.advance(Duration.ofMillis(random.nextInt(8_000)));
                running.remove(context.instanceId() + " " + item);
            }
        }

        List<TestCluster.Instance> others() {
            return cluster.instances().stream()
                    .filter(each -> each.alive() && each != steady)
                    .toList();
        }

        void act() {
            List<TestCluster.Instance> others = others();
            TestCluster.Instance victim = others.isEmpty() ? steady : others.get(random.nextInt(others.size()));
            switch (random.nextInt(12)) {
                case 0, 1 -> {
                    if (others.size() < 4) {
                        cluster.joinIn(ZONES.get(random.nextInt(ZONES.size())));
                    }
                }
                case 2 -> {
                    if (victim != steady) {
                        victim.kill();
                    }
                }
                case 3 -> {
                    if (victim != steady) {
                        victim.store().reconnect(); // a session cut off from its server never expires in memory
                        victim.close();
                    }
                }
                case 4 -> victim.expireSession();
                case 5 -> steady.expireSession();
                case 6 -> victim.store().loseNextReply();
                case 7 -> steady.store().loseNextReply();
                case 8 -> victim.store().loseNextRequest();
                case 9, 10 -> triggered.add(steady.engine().trigger("job", Map.of(), Set.of()));
                default -> {
                    victim.store().suspend();
                    cluster.time().after(Duration.ofSeconds(random.nextInt(25)), () -> {
                        if (victim.alive()) {
                            victim.store().reconnect();
                        }
                    });
                }
            }
            cluster.advance(Duration.ofMillis(random.nextInt(6_000)));
            assertThat(violations).isEmpty();
            triggered.forEach(this::recordCompletion);
        }

        void recordCompletion(JobRun run) {
            run.completion().toCompletableFuture().getNow(Map.of()).forEach((item, outcome) -> {
                if (outcome == ItemOutcome.SUCCEEDED) {
                    completed.add(run.runId() + " of " + item);
                }
            });
        }

        void play() {
            for (int i = 0; i < 40; i++) {
                act();
            }
            quiet = true;
            cluster.advance(Duration.ofMinutes(15));
            assertThat(violations).isEmpty();
            for (JobRun run : triggered) {
                assertThat(run.completion().toCompletableFuture())
                        .as("run " + run.runId())
                        .isCompleted();
            }
            Set<String> ids = new TreeSet<>(List.of(steady.id()));
            others().forEach(each -> ids.add(each.id()));
            Set<String> records = new TreeSet<>(cluster.tree().children("/jobs/job/sharding"));
            if (scope == Scope.BROADCAST) {
                assertThat(records).isEqualTo(ids);
            } else if (scope == Scope.ONE_PER_ZONE) {
                assertThat(Set.of("north", "south", ".none")).containsAll(records);
            }
            assertThat(cluster.tree().children("/triggers")).isEmpty();
            assertThat(steady.engine().health().jobs().get("job").status()).isEqualTo(JobHealth.Status.RUNNING);
            JobRun last = steady.engine().trigger("job", Map.of(), Set.of());
            cluster.advance(Duration.ofMinutes(1));
            Map<String, ItemOutcome> outcomes =
                    last.completion().toCompletableFuture().getNow(Map.of());
            assertThat(outcomes.values()).isNotEmpty().containsOnly(ItemOutcome.SUCCEEDED);
            if (scope == Scope.BROADCAST) {
                assertThat(outcomes.keySet()).isEqualTo(ids);
            }
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(names = "SHARDED", mode = EnumSource.Mode.EXCLUDE)
    void everyStartedRunEndsDespiteRandomFaults(Scope scope) {
        for (long seed = 0; seed < SEEDS; seed++) {
            tokens.clear();
            completed.clear();
            running.clear();
            violations.clear();
            Scenario scenario = new Scenario(scope, seed);
            try {
                scenario.play();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("scope " + scope + ", seed " + seed, e);
            } finally {
                scenario.cluster.close();
            }
        }
    }
}
