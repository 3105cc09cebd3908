package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Answer;
import io.ostraka.api.JobShardingStrategy.Request;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
    private final SplittableRandom random = new SplittableRandom(seed);

    /** Simulates the fires of a job with one item while instances come and go. */
    private static final class Life {
        private final JobShardingStrategy router;
        private Request request;
        private long fires;

        Life(JobShardingStrategy router, int... instances) {
            this.router = router;
            request = new Request("job", List.of(), List.of("0"), Map.of());
            there(instances);
        }

        void there(int... instances) {
            request = new Request(
                    request.jobName(),
                    IntStream.of(instances).mapToObj(RouterTest::instance).toList(),
                    request.items(),
                    request.owners(),
                    request.runTimes(),
                    request.otherItems(),
                    request.busy(),
                    request.maximum(),
                    request.fire(),
                    request.state());
        }

        String route() {
            Map<String, String> present = new HashMap<>(request.owners());
            present.values()
                    .retainAll(request.instances().stream().map(JobInstance::id).toList());
            Answer answer = router.place(request.withOwners(present));
            String owner = answer.items().keySet().iterator().next();
            request = request.withOwners(Map.of("0", owner)).withState(answer.state());
            assertThat(router.place(request)).as("asked again").isEqualTo(answer);
            return owner.replaceAll("@.*", "");
        }

        String fire() {
            fires++;
            request = request.withFire(Instant.ofEpochSecond(1_000_000 + fires));
            return route();
        }

        List<String> fire(int times) {
            return IntStream.range(0, times).mapToObj(i -> fire()).toList();
        }
    }

    @Test
    void firstAndLastFollowOrderOfIds() {
        Life first = new Life(Router.FIRST, 1, 2);
        Life last = new Life(Router.LAST, 1, 2);
        assertThat(first.route()).isEqualTo("i1");
        assertThat(last.route()).isEqualTo("i2");

        first.there(0, 1, 2);
        last.there(0, 1);
        assertThat(first.route()).isEqualTo("i0");
        assertThat(last.route()).isEqualTo("i1");
    }

    @Test
    void failoverKeepsFirstInstanceUntilItDeparts() {
        Life life = new Life(Router.FAILOVER, 1, 2);
        assertThat(life.route()).isEqualTo("i1");

        life.there(0, 1, 2);
        assertThat(life.fire(3)).containsOnly("i1");
        life.there(0, 2);
        assertThat(life.route()).isEqualTo("i0");
    }

    @Test
    void randomUsesAllInstances() {
        Life life = new Life(Router.RANDOM, 0, 1, 2);
        Map<String, Integer> counts = new TreeMap<>();
        life.fire(300).forEach(owner -> counts.merge(owner, 1, Integer::sum));

        assertThat(counts).hasSize(3).allSatisfy((owner, count) -> assertThat(count)
                .isBetween(60, 140));
    }

    @Test
    void randomMovesOnlyForDepartureOrJoin() {
        for (int fire = 0; fire < 200; fire++) {
            Life life = new Life(Router.RANDOM, 0, 1, 2);
            life.fires = fire;
            String owner = life.fire();
            life.there(0, 1, 2, 3);
            assertThat(life.route()).isIn(owner, "i3");
            life.there(1, 2);
            assertThat(life.route()).isIn(owner.equals("i0") ? List.of("i1", "i2") : List.of(owner));
        }
    }

    @Test
    void roundContinuesItsOrderAfterDepartures() {
        Life life = new Life(Router.ROUND, 0, 1, 2);
        String start = life.route();
        int from = start.charAt(1) - '0';

        assertThat(life.fire(1)).as("the first that is known").containsExactly(start);
        assertThat(life.fire(4))
                .containsExactly("i" + (from + 1) % 3, "i" + (from + 2) % 3, "i" + from, "i" + (from + 1) % 3);
        while (!life.fire().equals("i1")) {
            // runs fires until i1 has the item
        }
        life.there(0, 2);
        assertThat(life.route()).isEqualTo("i2");
        life.there(0, 1, 2, 3);
        assertThat(life.fire(5)).containsExactly("i3", "i0", "i1", "i2", "i3");
    }

    @Test
    void leastFrequentlyUsedCatchesUpOnMissedTurns() {
        Life life = new Life(Router.LEAST_FREQUENTLY_USED, 0, 1, 2);
        life.fire(31);
        // i2 runs nothing for six fires: if the router chooses it, the item is placed on i0 instead
        Map<String, Integer> counts = new TreeMap<>();
        for (int fire = 0; fire < 6; fire++) {
            if (life.fire().equals("i2")) {
                life.request = life.request.withOwners(Map.of("0", instance(0).id()));
            }
        }
        life.fire(12).forEach(owner -> counts.merge(owner, 1, Integer::sum));

        assertThat(counts.get("i2")).isGreaterThan(counts.get("i0"));
    }

    @Test
    void leastUsedRoutersUseInstancesEvenlyAfterJoin() {
        for (Router router : List.of(Router.LEAST_FREQUENTLY_USED, Router.LEAST_RECENTLY_USED)) {
            Life life = new Life(router, 0, 1, 2);
            life.fire(100);
            life.there(0, 1, 2, 3);
            Map<String, Integer> counts = new TreeMap<>();
            life.fire(400).forEach(owner -> counts.merge(owner, 1, Integer::sum));

            assertThat(counts).as(router.name()).hasSize(4).allSatisfy((owner, count) -> assertThat(count)
                    .isBetween(99, 101));
        }
    }

    @Test
    void leastRecentlyUsedChoosesJoiningInstanceNext() {
        Life life = new Life(Router.LEAST_RECENTLY_USED, 0, 1, 2);
        life.fire(10);
        life.there(0, 1, 2, 3);

        assertThat(life.route()).isNotEqualTo("i3");
        assertThat(life.fire(2)).startsWith("i3").doesNotHaveDuplicates();
    }

    @Test
    void busyOverReplacesStuckOwnerByFirstIdleInstance() {
        Life life = new Life(Router.BUSY_OVER, 0, 1, 2);
        assertThat(life.route()).isEqualTo("i0");
        life.request =
                life.request.withBusy(Set.of(instance(0).id(), instance(1).id()));
        assertThat(life.route()).isEqualTo("i2");
        life.request = life.request.withBusy(Set.of());
        assertThat(life.route()).as("no reason to go back").isEqualTo("i2");
        life.request = life.request.withBusy(
                Set.of(instance(0).id(), instance(1).id(), instance(2).id()));
        assertThat(life.route()).isEqualTo("i2");
    }

    /** For all initial owners, repeated decisions end with counts that differ by at most one. */
    @Test
    void spreadBalancesFromAnyStartAndAfterRollingRestart() {
        for (int sample = 0; sample < 300; sample++) {
            int instances = random.nextInt(1, 7);
            Map<String, String> owners = new HashMap<>();
            int jobs = random.nextInt(1, 40);
            int crowded = random.nextInt(instances);
            for (int job = 0; job < jobs; job++) {
                if (random.nextInt(4) > 0) {
                    owners.put("job-" + job, instance(crowded).id());
                }
            }
            spread(jobs, owners, IntStream.range(0, instances).toArray());
            // each process restarts in turn and returns as a new instance
            for (int restarted = 0; restarted < instances; restarted++) {
                int gone = restarted;
                spread(
                        jobs,
                        owners,
                        IntStream.range(0, 2 * instances)
                                .filter(i -> i > gone && i < instances || i >= instances && i < instances + gone)
                                .toArray());
                spread(
                        jobs,
                        owners,
                        IntStream.range(0, 2 * instances)
                                .filter(i -> i > gone && i < instances || i >= instances && i <= instances + gone)
                                .toArray());
            }
        }
    }

    private void spread(int jobs, Map<String, String> owners, int[] there) {
        if (there.length == 0) {
            return;
        }
        List<JobInstance> instances =
                IntStream.of(there).mapToObj(RouterTest::instance).toList();
        owners.values().retainAll(instances.stream().map(JobInstance::id).toList());
        int rounds = 0;
        boolean moved = true;
        while (moved) {
            moved = false;
            assertThat(++rounds).as("rounds, seed %s", seed).isLessThan(5 + jobs);
            for (int job = 0; job < jobs; job++) {
                String name = "job-" + job;
                Map<String, Integer> others = new HashMap<>();
                owners.forEach((other, owner) -> others.merge(owner, other.equals(name) ? 0 : 1, Integer::sum));
                Map<String, String> own = owners.containsKey(name) ? Map.of("0", owners.get(name)) : Map.of();
                String chosen = Router.SPREAD
                        .route(new Request(name, instances, List.of("0"), own).withOtherItems(others))
                        .instance()
                        .id();
                moved |= !chosen.equals(owners.put(name, chosen));
            }
        }
        var counts = instances.stream()
                .mapToLong(instance ->
                        owners.values().stream().filter(instance.id()::equals).count())
                .summaryStatistics();
        assertThat(counts.getMax() - counts.getMin()).as("seed %s", seed).isLessThanOrEqualTo(1);
    }

    @Test
    void spreadMovesOnlyForDifferenceOfTwo() {
        Life life = new Life(Router.SPREAD, 0, 1);
        life.request = life.request.withOwners(Map.of("0", instance(0).id()));
        life.request = life.request.withOtherItems(
                Map.of(instance(0).id(), 3, instance(1).id(), 3));
        assertThat(life.route()).isEqualTo("i0");
        life.request = life.request.withOtherItems(
                Map.of(instance(0).id(), 4, instance(1).id(), 3));
        assertThat(life.route()).isEqualTo("i1");
    }

    @ParameterizedTest
    @EnumSource
    void rejectsJobOfSeveralItemsAndAcceptsNone(Router router) {
        Request several = new Request("job", List.of(instance(0)), List.of("0", "1"), Map.of());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> router.place(several))
                .withMessage(router + " is for jobs of one item, and job 'job' has 2");
        assertThat(router.shard(new Request("job", List.of(instance(0)), List.of(), Map.of())))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void anySequenceOfChangesLeavesItemOnPresentInstance(Router router) {
        for (int sample = 0; sample < 100; sample++) {
            Life life = new Life(router, 0);
            for (int step = 0; step < 30; step++) {
                if (random.nextBoolean()) {
                    int set = random.nextInt(1, 64);
                    life.there(IntStream.range(0, 6)
                            .filter(i -> (set >> i & 1) == 1)
                            .toArray());
                    life.route();
                } else {
                    life.fire();
                }
                assertThat(life.request.instances().stream().map(JobInstance::id))
                        .as("seed %s", seed)
                        .contains(life.request.owners().get("0"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"FIRST", "LAST"})
    void ownerStaysWithoutFireOrDeparture(Router router) {
        Life life = new Life(router, 2, 3);
        life.fire(3);
        String owner = life.route();
        life.there(router == Router.RANDOM ? new int[] {2, 3} : new int[] {0, 1, 2, 3, 4});

        assertThat(life.route()).isEqualTo(owner);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "- ",
                "x",
                "99999999999999999999 i0",
                "999999999999999 i0",
                "-5 i0",
                "1000001 ../../x",
                "1000001 0:0",
                "1000001 0123456789abcdef:999999999",
                "1000001 0123456789abcdef:9999999999,,",
                "1 \u0000",
                "1\ni0"
            })
    void ignoresStateWithManualChanges(String hostile) {
        for (Router router : Router.values()) {
            Life life = new Life(router, 0, 1, 2);
            life.fire(4);
            life.request = life.request.withState(hostile);
            List<String> owners = life.fire(40);

            assertThat(life.request.state().length()).isLessThan(200);
            if (List.of(Router.ROUND, Router.LEAST_RECENTLY_USED, Router.LEAST_FREQUENTLY_USED)
                    .contains(router)) {
                assertThat(owners).as("%s goes on", router).contains("i0", "i1", "i2");
            }
        }
    }

    @Tag("slow")
    @Test
    void limitsStateOfManyInstances() {
        for (Router router : List.of(Router.LEAST_FREQUENTLY_USED, Router.LEAST_RECENTLY_USED)) {
            Life life = new Life(router, IntStream.range(0, 640).toArray());
            life.fire(640);

            assertThat(life.request.state().length()).isBetween(10_000, JobShardingStrategy.MAX_STATE);
        }
    }

    /** Shows a router as a user would write and test it. */
    @Test
    void customRouterTakesFewLines() {
        JobRouter shortestId = new JobRouter() {
            @Override
            public String type() {
                return "SHORTEST";
            }

            @Override
            public Route route(Request request) {
                return new Route(request.instances().get(0));
            }
        };

        assertThat(shortestId.shard(new Request("job", List.of(instance(0)), List.of("0"), Map.of())))
                .containsOnly(Map.entry(instance(0).id(), List.of("0")));
    }

    private static JobInstance instance(int number) {
        return new JobInstance("i" + number + "@1@s", "i" + number, "", Map.of(), 1);
    }
}
